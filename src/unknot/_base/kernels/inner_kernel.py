# mypy: ignore-errors
"""Compilation of functions that only compiled code calls, in the steps that these need.

The public interface of Numba alone (`njit` with options) makes the same code, but compiles for longer, since each
such function is then optimised and translated by itself, too. Four things are done here instead:

- `_InnerLibrary` leaves optimisation and translation to the callers: a third of the time of a first command.
- `Infer` keeps what an operator means for numbers: a tenth of it.
- `Prune` removes branches on constant options before they are typed: a twentieth of it.
- `InnerCompiler._compile_core` takes the steps one after the other, without what Numba's manager of passes records,
  and with options that need not be compared: a tenth of it.

What is assumed of Numba, beyond its documented pipelines and passes, `tests/base/kernels/test_inner_kernel.py` tries
one by one, so that a new version that differs fails there, with what differs:

- A library's `_optimize_final_module` and `_finalize_final_module` are what optimises and translates it; a caller
  links the module of a library that did neither. A library made before `compile_extra` is what lowering fills.
- `CompilerBase._compile_core` enters the options, which no step changes, and runs steps on the state.
- `_finalize_dynamic_globals` and `_finalized` are what else is to be done of the second.
- `TypeInferer.resolve_call` is asked for every call and operator, and its answer depends on the types alone where all
  are numbers; `Infer.run_pass` takes the steps of Numba's own pass.
- The passes left out, of those of `DefaultPassBuilder`, serve what kernels lack: generators, `with`, closures,
  parallel loops, rewrites of array expressions.
"""

from typing import ClassVar

from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, Flags
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import NumbaWarning, WarningsFixer
from numba.core.ir_utils import build_definitions, get_definition, guard
from numba.core.postproc import PostProcessor
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    PreLowerStripPhis,
    fallback_context,
)
from numba.core.typeinfer import TypeInferer
from numba.core.untyped_passes import FixupArgs, IRProcessing, ReconstructSSA, TranslateByteCode

PLAIN = types.Integer | types.Boolean | types.IntegerLiteral | types.BooleanLiteral


class _InnerLibrary(JITCodeLibrary):
    """Code of a function that only compiled code calls: it is optimised, and translated, as part of its callers."""

    def _optimize_final_module(self):
        """Leave that to the callers."""

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Return 0, as of a function without an address."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        """What takes the environment of the function, which none has."""
        return self

    def set_env(self, name, env):
        """Do nothing: an environment holds objects of Python, which kernels do not touch."""


@register_pass(mutates_CFG=True, analysis_only=False)
class Prune(FunctionPass):
    """Leave out what is never reached, since an argument has a type that says so.

    Such a type has `known(name)`: what an attribute is if it is constant, another such type, or None. Without this
    pass all that options might need would be typed and translated, only for LLVM to remove it.
    """

    _name = "unknot_prune"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        code, changed = state.func_ir, False
        if not any(hasattr(kind, "known") for kind in state.args):
            return False
        while _cut(code, state.args):
            changed = True
            for label in compute_cfg_from_blocks(code.blocks).dead_nodes():
                del code.blocks[label]
            code._definitions = build_definitions(code.blocks)
        if changed:
            PostProcessor(code).run()
        return changed


def _cut(code, arguments):
    """Turn branches on constants into jumps; return whether there were any."""
    cut = False
    for block in code.blocks.values():
        last = block.body[-1]
        if isinstance(last, ir.Branch):
            holds = _constant(code, arguments, last.cond)
            if isinstance(holds, int):
                block.body[-1] = ir.Jump(last.truebr if holds else last.falsebr, last.loc)
                cut = True
    return cut


def _constant(code, arguments, variable):
    """Return the constant value of a variable, or a type that knows constant attributes; None if neither is known."""
    # A variable that is assigned more than once has no single definition, and none is found for it.
    made = guard(get_definition, code, variable)
    if isinstance(made, ir.Const | ir.Global | ir.FreeVar):
        return made.value
    if isinstance(made, ir.Arg):
        return arguments[made.index] if hasattr(arguments[made.index], "known") else None
    match getattr(made, "op", None):
        case "getattr":
            kind = _constant(code, arguments, made.value)
            return kind.known(made.attr) if hasattr(kind, "known") else None
        case "binop":
            parts = [_constant(code, arguments, part) for part in (made.lhs, made.rhs)]
        case "unary":
            parts = [_constant(code, arguments, made.value)]
        case "call" if _constant(code, arguments, made.func) is bool:
            return _constant(code, arguments, made.args[0])
        case _:
            return None
    return made.fn(*parts) if all(isinstance(part, int) for part in parts) else None


class _Inference(TypeInferer):
    """Inference of types that works out once what an operator means for numbers."""

    meanings: ClassVar = {}

    def resolve_call(self, function, args, keywords):
        if keywords or isinstance(function, types.Dispatcher) or not all(isinstance(kind, PLAIN) for kind in args):
            return super().resolve_call(function, args, keywords)
        key = function, args
        if key not in self.meanings:
            self.meanings[key] = super().resolve_call(function, args, keywords)
        return self.meanings[key]


@register_pass(mutates_CFG=True, analysis_only=False)
class Infer(FunctionPass):
    """Infer types by `_Inference`."""

    _name = "unknot_infer"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        inferer = _Inference(state.typingctx, state.func_ir, WarningsFixer(NumbaWarning))
        target = state.targetctx.target
        with (
            fallback_context(state, f"types of {state.func_id.func_name}"),
            state.typingctx.callstack.register(target, inferer, state.func_id, state.args),
        ):
            for index, (name, kind) in enumerate(zip(state.func_ir.arg_names, state.args, strict=True)):
                inferer.seed_argument(name, index, kind)
            if state.return_type is not None:
                inferer.seed_return(state.return_type)
            inferer.build_constraint()
            inferer.propagate()
            state.typemap, state.return_type, state.calltypes = inferer.unify()
        return True


class _Flags(Flags):
    """Frozen options of a compilation, one shared object for equal options.

    Numba looks up what each call means by the options, too, and would compare all of them each time.
    """

    made: ClassVar = {}
    __hash__ = object.__hash__
    __eq__ = object.__eq__

    @classmethod
    def like(cls, flags):
        """Return the object for some options."""
        return cls.made.setdefault(repr(flags), cls(flags))


class InnerCompiler(CompilerBase):
    """Compiler of functions that only compiled code calls."""

    steps = (
        TranslateByteCode, FixupArgs, IRProcessing, Prune, ReconstructSSA,
        Infer, PreLowerStripPhis, IRLegalization, NativeLowering, NoPythonBackend,
    )  # fmt: skip

    def _compile_core(self):
        with ConfigStack().enter(_Flags.like(self.state.flags)):
            for step in self.steps:
                step().run_pass(self.state)
        return self.state.cr

    def compile_extra(self, func):
        self.state.library = _InnerLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class WholeCompiler(InnerCompiler):
    """Compiler of such functions in all steps that Numba has."""

    define_pipelines = Compiler.define_pipelines
    _compile_core = CompilerBase._compile_core

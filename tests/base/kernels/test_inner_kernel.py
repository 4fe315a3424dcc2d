"""What `inner_kernel` assumes of Numba: a new version that differs fails here, and says in what."""

from __future__ import annotations

import inspect
import operator
from types import SimpleNamespace
from typing import Any

import numba
import pytest
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import BaseTypeInference, type_inference_stage
from numba.core.typeinfer import TypeInferer

from unknot._base.kernels import inner_kernel
from unknot._base.kernels.types_kernel import called, inlined
from unknot.simulation.engine.view_kernel import usual_whole, view

CHANGED = f"Numba {numba.__version__} differs from what inner_kernel assumes of it: "
PRIVATE = {
    CompilerBase._compile_core: "self",
    ConfigStack.enter: "self flags",
    JITCodeLibrary._optimize_final_module: "self",
    JITCodeLibrary._finalize_final_module: "self",
    JITCodeLibrary._finalize_dynamic_globals: "self",
    JITCodeLibrary.get_pointer_to_function: "self name",
    TypeInferer.__init__: "self context func_ir warnings",
    TypeInferer.resolve_call: "self fnty pos_args kw_args",
    TypeInferer.seed_argument: "self name index typ",
    TypeInferer.seed_return: "self typ",
    TypeInferer.build_constraint: "self",
    TypeInferer.propagate: "self raise_errors",
    TypeInferer.unify: "self raise_errors",
}
"""Parts of Numba that `inner_kernel` overrides or calls, and their parameters."""


@pytest.mark.parametrize("part", PRIVATE, ids=lambda part: part.__qualname__)
def test_private_parts_take_what_they_took(part: Any) -> None:
    parameters = " ".join(inspect.signature(part).parameters)
    assert parameters == PRIVATE[part], f"{CHANGED}{part.__qualname__} takes {parameters}"


def test_inference_takes_the_steps_of_numbas_own() -> None:
    """In the same order; only seeds of local types, of which kernels have none, are left out."""
    steps = ["seed_argument", "seed_return", "build_constraint", "propagate", "unify"]
    for source in (type_inference_stage, inner_kernel.Infer.run_pass):
        text = inspect.getsource(source)
        places = [text.find(f".{step}(") for step in steps]
        assert min(places) >= 0, f"{CHANGED}a step of {source.__qualname__} is missing"
        assert places == sorted(places), f"{CHANGED}the steps of {source.__qualname__} have another order"
    assert "state.calltypes" in inspect.getsource(BaseTypeInference.run_pass), (
        f"{CHANGED}what inference leaves behind"
    )


def test_steps_of_compiling_stand_in_numbas_order() -> None:
    state, builder = SimpleNamespace(flags=Flags(), func_ir=None), DefaultPassBuilder
    parts = builder.define_untyped_pipeline, builder.define_typed_pipeline, builder.define_nopython_lowering_pipeline
    passes = [step.__name__ for part in parts for step, _ in part(state).passes]
    own = inner_kernel.InnerCompiler.steps
    names = ["NopythonTypeInference" if step is inner_kernel.Infer else step.__name__ for step in own]
    names.remove("Prune")
    assert set(names) <= set(passes), f"{CHANGED}there is no pass {sorted(set(names) - set(passes))}"
    places = [passes.index(name) for name in names]
    assert places == sorted(places), f"{CHANGED}passes stand in another order: {passes}"


def test_options_of_a_compilation_are_one_object_for_all_that_are_alike() -> None:
    seen = []
    for inline in (True, False, True):
        flags = Flags()
        flags.forceinline = inline
        seen.append(inner_kernel._Flags.like(flags))
        assert seen[-1].values() == flags.values(), f"{CHANGED}options are copied"
    assert seen[0] is seen[2] is not seen[1]


@called
def _twice(x):  # type: ignore[no-untyped-def]
    return 2 * x


@inlined
def _one_more(x):  # type: ignore[no-untyped-def]
    return _twice(x) + 1


def test_inner_functions_are_translated_in_their_callers_alone() -> None:
    caller: Any = numba.njit("int64(int64)")(lambda x: _one_more(x) - _twice(x))
    assert [caller(x) for x in (0, 5, -7)] == [1, 1, 1]
    for inner in (_twice, _one_more):
        (result,) = inner.overloads.values()
        library = result.library
        assert type(library) is inner_kernel._InnerLibrary, f"{CHANGED}lowering fills a library of its own"
        assert library.get_pointer_to_function(result.fndesc.llvm_func_name) == 0
        assert "alwaysinline" in library.get_llvm_str() or inner is _twice, f"{CHANGED}forceinline marks nothing"


@pytest.mark.parametrize("function", [operator.add, operator.lt, operator.rshift, operator.and_, operator.floordiv])
def test_what_operators_mean_for_numbers_is_what_numba_infers(function: Any) -> None:
    fresh: Any = inlined(lambda x: (x + 2) + (x >> 1) + (x & 3) + (x // 3) + (x < 4))
    fresh.compile((types.int64,))
    context = cpu_target.typing_context
    meanings = [
        (known, kinds, meaning)
        for (known, kinds), meaning in inner_kernel._Inference.meanings.items()
        if getattr(known, "typing_key", None) is function
    ]
    assert meanings, f"{CHANGED}operators are not asked for by resolve_call"
    for known, kinds, meaning in meanings:
        again = context.resolve_function_type(known, kinds, {})
        assert again == meaning, f"{CHANGED}{function.__name__} of {kinds} depends on more than the types"


def test_branches_on_constant_options_are_cut_before_they_are_typed() -> None:
    """What has no type is accepted where a constant says that it is never reached, and else refused."""

    def options(s):  # type: ignore[no-untyped-def]
        if s.setup.parts > 1:
            return s.no_such_table
        return s.setup.parts

    known, unknown = (made._defn(None, types.int64)[0].return_type for made in (usual_whole, view))
    cut: Any = inlined(options)
    cut.compile((known,))
    assert cut.overloads[(known,)].signature.return_type == types.int64
    refused: Any = inlined(options)
    with pytest.raises(TypingError, match="no_such_table"):
        refused.compile((unknown,))

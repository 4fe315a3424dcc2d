// Three ways to have a question answered: by the server of the page, by a notebook, or from answers in the file.
// Each is a function (question, design, given, onPart, signal) that returns a promise of the end.

const ENDED = "Unknot does not answer: its command has ended. Start it again by the command unknot explore. The design of this page is in its address, from # on: put that behind the address that the command prints.";

export function fromServer(base) {
  return async (question, design, given, onPart, signal) => {
    const body = JSON.stringify({ question, design, given });
    const headers = { "Content-Type": "application/json" };
    const response = await answered(fetch(`${base}ask`, { method: "POST", body, headers, signal }));
    if (!response.ok) throw new Error(await response.text());
    const reader = response.body.getReader(), decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { value, done } = await answered(reader.read());
      rest += value ? decoder.decode(value, { stream: true }) : "";
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) if (take(JSON.parse(line), onPart)) return;
      if (done) throw ended();
    }
  };
}

// Where the server has gone, `fetch` says that it failed, and no more.
async function answered(promise) {
  try {
    return await promise;
  } catch (error) {
    throw error.name === "AbortError" ? error : ended();
  }
}

function ended() {
  return Object.assign(new Error(ENDED), { ended: true });
}

export function fromNotebook(model) {
  let count = 0;
  return (question, design, given, onPart, signal) => new Promise((resolve, reject) => {
    const id = ++count;
    const stop = () => {
      model.off("msg:custom", hear);
      model.send({ id, cancel: true });
      reject(aborted());
    };
    function hear(message) {
      if (message.id !== id) return;
      try {
        if (!take(message.part, onPart)) return;
        resolve();
      } catch (error) {
        reject(error);
      }
      model.off("msg:custom", hear);
      signal?.removeEventListener("abort", stop);
    }
    model.on("msg:custom", hear);
    signal?.addEventListener("abort", stop);
    model.send({ id, question, design, given });
  });
}

export function fromFile(answers) {
  const key = (question, design, given) => JSON.stringify([question, sorted(design), sorted(given)]);
  const kept = new Map(answers.map((one) => [key(one.question, one.design, one.given), one.parts]));
  return async (question, design, given, onPart) => {
    const parts = kept.get(key(question, design, given));
    if (!parts) throw new Error("This file shows what was computed. `unknot explore` answers the rest.");
    parts.forEach(onPart);
  };
}

function sorted(object) {
  return Object.fromEntries(Object.entries(object ?? {}).sort());
}

// True at the end of an answer; an error ends it, too.
function take(part, onPart) {
  if (part.error === "cancelled") throw ended();
  if (part.error !== undefined) throw new Error(part.error);
  if (part.end) return true;
  onPart(part);
  return false;
}

function aborted() {
  const error = new Error("cancelled");
  error.name = "AbortError";
  return error;
}

// The licences of what the bundle has, one file beside the bundle.
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
const parts = Object.entries(lock)
  .filter(([place, one]) => place && !one.dev)
  .map(([place, one]) => `${place.replace("node_modules/", "")} ${one.version}\n\n${readFileSync(`${place}/LICENSE`, "utf8")}`);
writeFileSync("dist/LICENSES.txt", parts.join("\n----\n\n"));

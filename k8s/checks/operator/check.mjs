// Checks objects of the Prometheus operator: a JSON list of them on standard input, what is wrong on standard output.
//
// Values are checked by the models' validators. These let unknown keys pass, so the objects are checked against the
// models' types as well, as literals: the compiler refuses a literal's key that its type does not have.
import { readFileSync, writeFileSync } from "node:fs";
import * as models from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import ts from "typescript";

const MODULE = "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
const objects = JSON.parse(readFileSync(0, "utf8"));
const faults = [];

let source = "";
for (const object of objects) {
  const { kind, metadata } = object;
  const Model = object.apiVersion === "monitoring.coreos.com/v1" ? models[kind] : undefined;
  if (!Model) {
    faults.push(`${kind} ${metadata.name}: no model of ${object.apiVersion}`);
    continue;
  }
  try {
    new Model(object).validate();
  } catch (error) {
    faults.push(`${kind} ${metadata.name}: ${error.message}`);
  }
  source += `export const o${objects.indexOf(object)}: import("${MODULE}").I${kind} = ${JSON.stringify(object, null, 1)};\n`;
}

const file = new URL("objects.ts", import.meta.url).pathname;
writeFileSync(file, source);
const program = ts.createProgram([file], {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
});
for (const fault of ts.getPreEmitDiagnostics(program)) {
  const line = fault.file && fault.file.getLineAndCharacterOfPosition(fault.start).line;
  const at = fault.file?.fileName === file ? source.split("\n")[line].trim() : fault.file?.fileName;
  faults.push(`${at}: ${ts.flattenDiagnosticMessageText(fault.messageText, " ")}`);
}

for (const fault of faults) console.log(fault);
process.exit(faults.length ? 1 : 0);

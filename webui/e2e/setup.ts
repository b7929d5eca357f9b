import { startProgram } from './program';

/** Starts the program for the whole run; the answer stops it. */
export default async function setup(): Promise<() => Promise<void>> {
  const program = await startProgram();
  // The workers are started after this and inherit it.
  process.env.PASTEPORT_E2E_URL = program.url;
  process.env.PASTEPORT_E2E_FAR = program.far;
  return program.stop;
}

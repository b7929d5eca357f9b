import { ownPrefix, readStoredJson, writeStored } from '../../config';

const key = `${ownPrefix}targets`;
const most = 3;

const isPaths = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** recentTargets are the folders that something was last copied or moved to. */
export const recentTargets = {
  get: () => readStoredJson(key, isPaths) ?? [],
  note(path: string) {
    const others = recentTargets.get().filter((one) => one !== path);
    writeStored(key, JSON.stringify([path, ...others].slice(0, most)));
  },
};

import { useState } from 'react';
import { readStored, writeStored } from '../../config';
import type { UploadSettings } from './queries';

const storageKey = 'pp.uploadStorage';

/** usePlacement holds where an upload goes: storage, folder, and how it is read later. */
export function usePlacement(settings: UploadSettings) {
  const [config, setConfig] = useState(() => firstConfig(settings));
  const [path, setPath] = useState('');
  const [useProxy, setUseProxy] = useState(settings.useProxy);
  return {
    configs: settings.configs,
    config,
    path,
    useProxy,
    problem: folderProblem(path),
    setPath,
    setUseProxy,
    setConfig(id: string) {
      setConfig(id);
      writeStored(storageKey, id);
    },
  };
}

export type Placement = ReturnType<typeof usePlacement>;

function firstConfig({ configs }: UploadSettings): string {
  const last = readStored(storageKey);
  const known = configs.find((config) => config.id === last);
  return (known ?? configs.find((config) => config.is_default) ?? configs[0])?.id ?? '';
}

/** folderProblem says whether the server would refuse a folder; empty segments it drops itself. */
function folderProblem(path: string): boolean {
  return path.includes('\\') || path.split('/').some((part) => part.trim() === '.' || part.trim() === '..');
}

import { useEffect, useState } from 'react';
import { readSettings } from '../../api/settings';
import { listStorageConfigs, maxUploadSize } from '../../api/storage';
import type { StorageConfig } from '../../api/types';

/** UploadSettings are what the server allows and suggests. */
export interface UploadSettings {
  configs: StorageConfig[];
  /** Largest file in bytes. */
  limit: number;
  useProxy: boolean;
}

interface Loaded {
  round: number;
  settings?: UploadSettings;
  error?: unknown;
}

/** useUploadSettings loads the settings of the upload form. */
export function useUploadSettings() {
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<Loaded>();

  useEffect(() => {
    const leave = new AbortController();
    load(leave.signal).then(
      (settings) => setLoaded({ round, settings }),
      (error: unknown) => {
        if (!leave.signal.aborted) setLoaded({ round, error });
      },
    );
    return () => leave.abort();
  }, [round]);

  const current = loaded?.round === round ? loaded : undefined;
  return {
    settings: current?.settings,
    failed: current !== undefined && !current.settings,
    error: current?.error,
    retry: () => setRound(round + 1),
  };
}

async function load(signal: AbortSignal): Promise<UploadSettings> {
  const [configs, limit, global] = await Promise.all([
    listStorageConfigs(signal),
    maxUploadSize(signal),
    readSettings(1, signal),
  ]);
  return { configs, limit, useProxy: global.get('default_use_proxy') !== 'false' };
}

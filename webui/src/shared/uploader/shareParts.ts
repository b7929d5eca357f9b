import {
  abortFileParts,
  beginFileParts,
  completeFileParts,
  listFileParts,
  refreshFileParts,
} from '../../api/fileParts';
import type { CommittedFile, PresignRequest } from '../../api/types';
import { begunOf } from './begun';
import { sendInParts, type Begin, type PartsCalls } from './inParts';
import { putBytes } from './put';
import { waitLonger, type TransferHooks } from './share';

/** The calls a share in parts makes; tests pass their own. */
export interface SharePartsCalls extends PartsCalls<CommittedFile> {
  begin: typeof beginFileParts;
}

const calls: SharePartsCalls = {
  begin: beginFileParts,
  list: listFileParts,
  refresh: refreshFileParts,
  complete: completeFileParts,
  abort: abortFileParts,
  put: putBytes,
  wait: waitLonger,
};

/**
 * shareInParts sends a file in parts and makes it a share. It goes on with what
 * was begun before, and without a request it does nothing else. It rejects as
 * sendInParts does.
 */
export function shareInParts(
  file: File,
  request: PresignRequest | undefined,
  hooks: TransferHooks,
  use: SharePartsCalls = calls,
): Promise<CommittedFile> {
  const begin: Begin | undefined =
    request &&
    (async (cut) => {
      const { file_id, upload_id, presigned_urls } = await use.begin({ ...request, ...cut });
      return { to: 'share', folder: '', name: request.filename, file_id, upload_id, presigned_urls };
    });
  hooks.onStage('initializing');
  return sendInParts(file, { begun: begunOf(file), begin }, hooks, use);
}

// Moves files to storage: one queue, single PUTs and parts, with progress,
// repetition and cancelling. Screens choose what to send and show how it goes.
export { isCancelled, isPaused, NotRegistered, pausing, UploadError, type UploadFailure } from './errors';
export {
  inPartsFrom,
  partSize,
  partSizeFor,
  uploadMultipart,
  type MultipartBackend,
  type MultipartOptions,
  type PartState,
  type PartUrl,
  type UploadedPart,
} from './multipart';
export { partTimeout, putBytes } from './put';
export { UploadQueue, type ItemStatus, type Transfer, type UploadItem, type UploadTotals } from './queue';
export { shareFile, type Stage } from './share';
export {
  resumable,
  unfinished,
  uploadToMount,
  type MountTarget,
  type Resumable,
  type UploadMethod,
} from './mount';

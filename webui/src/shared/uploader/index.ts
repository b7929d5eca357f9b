// Moves files to storage: one queue, single PUTs and parts, with progress,
// repetition and cancelling. Screens choose what to send and show how it goes.
export { isCancelled, NotRegistered, UploadError, type UploadFailure } from './errors';
export {
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
export { uploadToMount, unfinished, type MountTarget } from './mount';

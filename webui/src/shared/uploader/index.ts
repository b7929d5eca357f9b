// Moves files to storage: one queue, single PUTs and parts, with progress,
// repetition and cancelling. Screens choose what to send and show how it goes.
export { isCancelled } from './errors';
export { inPartsFrom } from './multipart';
export { resumable, unfinished, type Resumable, type UploadMethod } from './mount';
export { type Transfer, type UploadTotals } from './queue';
export { shareFile } from './share';

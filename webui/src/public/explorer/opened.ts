// What a folder is likely to open next, fetched in one file.
export { EntryMenu } from './EntryMenu';
export { PreviewPane } from './PreviewPane';

// Chooses a folder of the mounts, which are read as branches are opened.
export { FolderTree } from './FolderTree';

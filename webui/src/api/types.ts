// Shapes of the API's answers, in the API's own field names. Times are ISO 8601 in UTC; null means "none".

/** Permission flags as the key check answers them (§6). */
export interface PermissionFlags {
  text: boolean;
  file: boolean;
  mount_view: boolean;
  mount_upload: boolean;
  mount_copy: boolean;
  mount_rename: boolean;
  mount_delete: boolean;
  webdav_read: boolean;
  webdav_manage: boolean;
}

/** An API key as it knows itself. */
interface KeyInfo {
  id: string;
  name: string;
  basic_path: string;
}

/** What a credential is worth. */
export interface KeyCheck {
  permissions?: PermissionFlags | number;
  key_info?: KeyInfo;
  is_admin?: boolean;
}

/** A new session of the administrator. */
export interface LoginAnswer {
  token?: string;
  username?: string;
  expiresAt?: string;
}

/** What creating a paste needs; `maxViews` 0 is unlimited, `expiresAt` null is never. */
export interface PasteDraft {
  content: string;
  slug?: string;
  remark?: string;
  expiresAt?: string | null;
  maxViews?: number;
  password?: string;
  /** syntax is "markdown", "text" or the name of a programming language. */
  syntax?: string;
}

/** The paste as it was stored. */
export interface CreatedPaste {
  id: string;
  slug: string;
  remark: string | null;
  expiresAt: string | null;
  maxViews: number | null;
  hasPassword: boolean;
  createdAt: string;
}

/** A paste as a visitor reads it. Without the password a protected one has `requiresPassword` and no content. */
export interface Paste {
  slug: string;
  content?: string;
  remark: string | null;
  hasPassword: boolean;
  requiresPassword?: boolean;
  expiresAt: string | null;
  maxViews: number | null;
  views: number;
  createdAt: string;
  updatedAt?: string;
  created_by: string;
  isLastView?: boolean;
  syntax?: string | null;
  plain_password?: string | null;
}

/** What `?peek=1` tells about a share without opening it. */
export interface PastePeek {
  slug: string;
  hasPassword: boolean;
  requiresPassword?: boolean;
  isLastView?: boolean;
  expiresAt?: string | null;
}

/** What `?peek=1` tells about a shared file without opening it. */
export interface FilePeek {
  slug: string;
  requires_password: boolean;
  isLastView?: boolean;
  filename?: string;
  size?: number;
  mimetype?: string;
  expires_at?: string | null;
}

/** One row of the paste list. */
export interface PasteRow {
  id: string;
  slug: string;
  remark: string | null;
  has_password: 0 | 1;
  expires_at: string | null;
  max_views: number | null;
  views: number;
  view_count: number;
  created_by: string;
  created_at: string;
  updated_at: string;
  content?: string;
  content_preview?: string;
  /** size of the content in bytes. */
  size: number;
  key_name?: string | null;
}

/** A paste as its owner reads it, without taking a view. */
export interface PasteDetail {
  id: string;
  slug: string;
  content: string;
  remark: string | null;
  expires_at: string | null;
  max_views: number | null;
  views: number;
  created_by: string;
  created_at: string;
  updated_at: string;
  has_password: boolean;
  syntax?: string;
}

/** A content that a text or a file has or had. */
export interface RevisionRow {
  /** version names the content; they grow. */
  version: number;
  /** bytes */
  size: number;
  /** edited_by is empty when nobody knows. */
  edited_by: string;
  key_name?: string | null;
  edited_at: string;
}

/** What is kept of a text or a file; the newest comes first. */
export interface RevisionHistory {
  /** whether edits keep what they replace. */
  keep: boolean;
  current: RevisionRow;
  revisions: RevisionRow[];
  /** large says that a file is too large for the next edit to keep it. */
  large?: boolean;
}

/** A change of a paste: what is absent stays as it is, but for the content, which is always sent. */
export interface PasteUpdate {
  content: string;
  newSlug?: string;
  remark?: string;
  expiresAt?: string | null;
  maxViews?: number;
  password?: string;
  clearPassword?: boolean;
}

/** Which part of a list this is; all figures count rows. */
export interface Paging {
  total: number;
  limit: number;
  offset: number;
  hasMore: boolean;
  page?: number;
  totalPages?: number;
}

/** A page of pastes. */
export interface PasteList {
  data: PasteRow[];
  pagination: Paging;
}

/** Type codes of files: 0 unknown, 1 folder, 2 video, 3 audio, 4 text, 5 image, 6 office, 7 document. */
export type FileType = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** One file share in lists and details. */
export interface FileRow {
  id: string;
  filename: string;
  slug: string;
  storage_path: string;
  storage_config_id: string;
  storage_type: string;
  file_path: string | null;
  mimetype: string;
  /** size in bytes. */
  size: number;
  remark: string | null;
  created_at: string;
  views: number;
  max_views: number | null;
  expires_at: string | null;
  etag: string | null;
  created_by: string;
  use_proxy: 0 | 1;
  storage_config_name?: string | null;
  storage_provider_type?: string | null;
  key_name?: string | null;
  has_password: boolean;
  type: FileType;
  typeName: string;
  /** slug of the collection that the file is an item of: it has no link of its own. */
  collection?: string | null;
}

/** A file share with the addresses of its bytes. */
export interface FileDetail extends FileRow {
  urls: {
    previewUrl: string | null;
    downloadUrl: string | null;
    proxyPreviewUrl: string;
    proxyDownloadUrl: string;
    use_proxy: 0 | 1;
  };
}

/** A file share as a visitor reads it; the addresses are absent until the password was given. */
export interface PublicFile {
  id: string;
  slug: string;
  filename: string;
  mimetype: string;
  size: number;
  remark: string | null;
  created_at: string;
  requires_password: boolean;
  views: number;
  max_views: number | null;
  expires_at: string | null;
  use_proxy: 0 | 1;
  created_by: string;
  type: FileType;
  typeName: string;
  previewUrl?: string | null;
  downloadUrl?: string | null;
  s3_direct_preview_url?: string | null;
  s3_direct_download_url?: string | null;
  proxy_preview_url?: string | null;
  proxy_download_url?: string | null;
  isLastView?: boolean;
  /** checksum of the content, in hex, when the storage knows one; "sha256-128" is the first half of SHA-256. */
  checksum?: { algorithm: 'sha256-128' | 'etag'; value: string };
}

/** An item of a collection as its visitor sees it; the addresses carry the ticket of the visit. */
export interface CollectionItem {
  id: string;
  filename: string;
  mimetype: string;
  size: number;
  type: FileType;
  previewUrl: string;
  downloadUrl: string;
  /** modified is when a file of a shared folder was changed last. */
  modified?: string;
}

/** A folder in a shared folder. */
export interface SharedFolder {
  id: string;
  name: string;
}

/** One link for several files, as its visitor sees it. */
export interface PublicCollection {
  slug: string;
  requires_password: boolean;
  title: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  views: number;
  max_views: number | null;
  isLastView: boolean;
  /** archiveUrl is where all of it is as one ZIP file; absent when there is nothing. */
  archiveUrl?: string;
  /** live says that it is a folder of a mount, as it is now. */
  live?: boolean;
  /** The folders in the one that is shown; they come before its items. */
  folders?: SharedFolder[];
  /** way is the folders from the shared one, which is not among them, to the one that is shown. */
  way?: SharedFolder[];
  /** total is how many entries the folder has that is shown; an answer holds 1,000. */
  total?: number;
  ticket?: string;
  items: CollectionItem[];
}

/** One link for several files, or for a folder, as its owner sees it. */
export interface CollectionHead {
  id: string;
  slug: string;
  title: string;
  /** folder of a mount, whose link it is. */
  folder?: string;
  /** paths below that folder, which alone are part of it; absent where all is. */
  paths?: string[];
  has_password: boolean;
  expires_at: string | null;
  max_views: number | null;
  views: number;
  created_by: string;
  url: string;
}

/** CollectionHead with the items; a folder has none. */
export interface Collection extends CollectionHead {
  items: { id: string; filename: string; mimetype: string; size: number }[];
}

/** What of a link for several files is changed; what is absent stays. */
export interface CollectionChange {
  title?: string;
  slug?: string;
  password?: string;
  expires_at?: string | null;
  /** max_views starts the count anew. */
  max_views?: number;
}

/** What a collection is made of; `file_ids` are in the order of its items. */
export interface NewCollection {
  title?: string;
  slug?: string;
  password?: string;
  /** expires_in in hours; 0 is never. */
  expires_in?: number;
  max_views?: number;
  file_ids?: readonly string[];
  /** folder of a mount, in place of files: the link shows what is in it then. */
  folder?: string;
  /** paths of files and folders of one mount, in place of files: the link shows them as they are then. */
  paths?: readonly string[];
}

/** What an upload announces of its file; `size` in bytes. */
export interface PresignRequest {
  s3_config_id: string;
  filename: string;
  size: number;
  mimetype?: string;
  path?: string;
  slug?: string;
  remark?: string;
  password?: string;
  /** expires_in in hours; 0 is never. */
  expires_in?: number;
  max_views?: number;
  use_proxy?: boolean;
}

/** The reserved file, and the address to PUT its bytes to. */
export interface Presigned {
  file_id: string;
  upload_url: string;
  storage_path: string;
  s3_url: string;
  slug: string;
  provider_type: string;
  contentType: string;
  url: string;
}

/** What the storage said when the bytes had arrived; `size` in bytes. */
export interface CommitRequest {
  file_id: string;
  size: number;
  etag: string | null;
}

/** The file share that an upload became. */
export interface CommittedFile extends FileRow {
  url: string;
}

/** A page of file shares. */
export interface FileList {
  files: FileRow[];
  pagination: Paging;
}

/** A change of a file share: what is absent stays as it is. */
export interface FileUpdate {
  remark?: string | null;
  slug?: string;
  expires_at?: string | null;
  max_views?: number | null;
  password?: string | null;
  use_proxy?: boolean;
}

/** Whether the bytes are deleted with the share, or stay in the storage. */
export type DeleteMode = 'both' | 'record_only';

/** How many were deleted, and which were not. */
export interface BatchDeleted {
  success: number;
  failed: { id: string; error: string }[];
}

/** A storage config as the person uploading sees it. */
export interface StorageConfig {
  id: string;
  name: string;
  provider_type: string;
  is_default: 0 | 1;
  is_public: 0 | 1;
  total_storage_bytes: number | null;
  default_folder: string;
}

/** A setting that everybody may read. */
export interface Setting {
  key: string;
  value: string;
}

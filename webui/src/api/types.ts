// Shapes of the API's answers, in the API's own field names. Times are ISO 8601 in UTC; null means "none".

import type { Schema } from './schema';

/** Permission flags as the key check answers them (§6). */
export type PermissionFlags = Schema<'permissionFlags'>;

/** What a credential is worth. */
export interface KeyCheck {
  permissions?: PermissionFlags | number;
  key_info?: Schema<'selfInfo'>;
  is_admin?: boolean;
}

/** A new session of the administrator. */
export type LoginAnswer = Partial<Schema<'loginData'>>;

/** NewLatch is who may open a share that is made, and how its end moves when it is opened. */
export interface NewLatch {
  key_only?: true;
  /** sliding_days after it was last opened. */
  sliding_days?: number;
  /** sliding_until is what no opening moves the end past; null for nothing. */
  sliding_until?: string | null;
}

/** What creating a paste needs; `maxViews` 0 is unlimited, `expiresAt` null is never. */
export interface PasteDraft extends NewLatch {
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
export type CreatedPaste = Schema<'newPasteAnswer'>;

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
export type PastePeek = Schema<'pastePeek'>;

/** What `?peek=1` tells about a shared file without opening it. */
export type FilePeek = Schema<'filePeek'>;

/** One row of the paste list; `size` is that of the content in bytes. */
export type PasteRow = Schema<'pasteRow'>;

/** A paste as its owner reads it, without taking a view. */
export type PasteDetail = Schema<'pasteDetail'>;

/** A content that a text or a file has or had; versions grow, `size` in bytes, `edited_by` is empty when nobody knows. */
export type RevisionRow = Schema<'revision'>;

/**
 * What is kept of a text or a file, the newest first; `keep` tells whether edits keep what they replace, `large` that a
 * file is too large for that.
 */
export type RevisionHistory = Schema<'history'> & { large?: boolean };

/** The files that a share had before uploads replaced them. */
export type FormerFiles = Schema<'fileVersions'>;

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
export type Paging = Schema<'pagination'>;

/** A page of pastes. */
export interface PasteList {
  data: PasteRow[];
  pagination: Paging;
}

/** Type codes of files: 0 unknown, 1 folder, 2 video, 3 audio, 4 text, 5 image, 6 office, 7 document. */
export type FileType = number;

/** One file share in lists and details; `size` in bytes, `collection` the slug of the one that it is an item of. */
export type FileRow = Schema<'fileRow'>;

/** A file share with the addresses of its bytes. */
export type FileDetail = Schema<'fileDetail'>;

/** A file share as a visitor reads it; the addresses are absent until the password was given. */
export type PublicFile = Schema<'publicFileAnswer', { use_proxy: 0 | 1 }>;

/** An item of a collection as its visitor sees it; the addresses carry the ticket of the visit. */
export type CollectionItem = Schema<'publicItem'>;

/** A folder in a shared folder. */
export type SharedFolder = Schema<'pathFolder'>;

/**
 * One link for several files, as its visitor sees it. A `live` one is a folder of a mount: `folders` come before its items,
 * `way` are the folders from the shared one to the one that is shown, `total` counts what is in that.
 */
export type PublicCollection = Schema<'publicCollection', { look?: Landing }>;

/** One link for several files, or for a `folder` or some `paths` below it, as its owner sees it. */
export type CollectionHead = Schema<'collectionHead', { look?: Landing }>;

/** CollectionHead with the items; a folder has none. */
export type Collection = Schema<'collectionDetail', { look?: Landing }>;

/** What of a link for several files is changed; what is absent stays. */
export interface CollectionChange {
  title?: string;
  slug?: string;
  password?: string;
  expires_at?: string | null;
  /** max_views starts the count anew, and so does max_downloads. */
  max_views?: number;
  max_downloads?: number;
  look?: Landing;
}

/** Landing is what visitors of a link for several files see first; empty is what they have chosen before. */
export type Landing = '' | 'list' | 'grid' | 'gallery' | 'preview';

/** What a collection is made of; `file_ids` are in the order of its items. */
export interface NewCollection extends NewLatch {
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
  /** as_it_stood shows folder or paths as they are now, whenever somebody looks. */
  as_it_stood?: boolean;
  max_downloads?: number;
  look?: Landing;
}

/** What an upload announces of its file; `size` in bytes. */
export interface PresignRequest extends NewLatch {
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
  /** override replaces the own share that has this slug; what of its terms is not given here stays. */
  override?: boolean;
}

/** The reserved file, and the address to PUT its bytes to. */
export type Presigned = Schema<'presignAnswer'>;

/** What the storage said when the bytes had arrived; `size` in bytes. */
export interface CommitRequest {
  file_id: string;
  size: number;
  etag: string | null;
}

/** The file share that an upload became. */
export type CommittedFile = FileRow;

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
export type BatchDeleted = Schema<'fileDeleted'>;

/** A storage config as the person uploading sees it. */
export type StorageConfig = Schema<'publicConfigJSON'>;

/** A setting that everybody may read. */
export type Setting = Schema<'pairJSON'>;

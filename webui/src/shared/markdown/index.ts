// Markdown to safe nodes on the page: parsing (marked), an allow list
// (DOMPurify) and the controls a reader gets. Knows nothing of pastes or files.
export { Markdown } from './Markdown';

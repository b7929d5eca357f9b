export { limitsText } from './limitsText';
export { ShareForm } from './ShareForm';
export { useShareForm, type ShareFormState } from './useShareForm';
export {
  freshShare,
  expiresAt,
  expiresInHours,
  maxViewsOf,
  randomText,
  shareProblems,
  type ShareProblems,
  type ShareValues,
} from './values';

export { limitsText } from './limitsText';
export { ShareForm } from './ShareForm';
export { useShareForm, type ShareFormState } from './useShareForm';
export { freshShare, expiresAt, expiresInHours, maxViewsOf, shareProblems, type ShareValues } from './values';

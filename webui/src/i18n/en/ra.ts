import english from 'ra-language-english';
import type { Messages } from '../shape';

// React-admin's own texts, where ours say it better or leave out what the panel does not offer.
const ra = english.ra as Messages;

export default ra;

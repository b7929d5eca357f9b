import common from './common';
import texts from './texts';

/** Everything of the panel, which loads it at once. A page's texts are a file here and one in ../../zh/admin. */
const admin = { ...common, texts };

export default admin;

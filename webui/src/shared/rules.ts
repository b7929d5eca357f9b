import { config } from '../config';
import { makeStore, patch } from '../store';

/** SiteRules are what the administrator has decided for everybody's pages. */
interface SiteRules {
  /** editorMode is what Home starts with: "plain" or "markdown". */
  editorMode: string;
  /** privacy keeps pictures of other sites away until they are asked for. */
  privacy: boolean;
  /** defaultHours is how long a share lives when nothing else is chosen; 0 is for ever. */
  defaultHours: number;
  /** maxHours is the longest life of a share; 0 is no limit, otherwise every share ends. */
  maxHours: number;
  /** maxViews is the greatest limit of views; 0 is no limit, otherwise every share has one. */
  maxViews: number;
  /** password says that every share needs one. */
  password: boolean;
}

const given = config.rules;
const hours = (name: string) => (typeof given[name] === 'number' ? given[name] : 0);

const rules = makeStore<SiteRules>({
  editorMode: given.editorMode === 'plain' ? 'plain' : 'markdown',
  privacy: given.privacy === true,
  defaultHours: hours('defaultHours'),
  maxHours: hours('maxHours'),
  maxViews: hours('maxViews'),
  password: given.password === true,
});

/** siteRules are those of the page as the server wrote it, and what the administrator has changed since in this tab. */
export const siteRules = rules.get;

/** changeRules is told what has been changed. */
export const changeRules = (change: Partial<SiteRules>): void => patch(rules, change);

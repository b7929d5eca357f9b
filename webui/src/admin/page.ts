import { CircleSmall, type LucideIcon } from 'lucide-react';
import { createContext } from 'react';

/** A page as it is told: in the menu, as heading and in the document's title. */
export interface ShownPage {
  /** title is the message key of its name. */
  title: string;
  icon: LucideIcon;
}

/** PageContext is the page of the panel around. */
export const PageContext = createContext<ShownPage>({ title: 'admin.adminTitle', icon: CircleSmall });

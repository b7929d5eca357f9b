import { expiresInHours, maxViewsOf, type ShareValues } from '../../shared/shareform';
import type { Terms } from '../../shared/uploader/transfers';
import { latchOf } from '../../shared/visits/latch';
import type { Placement } from './usePlacement';

/** termsOf reads the forms of the page. */
export function termsOf(values: ShareValues, { config, path, useProxy }: Placement): Terms {
  return {
    s3_config_id: config,
    use_proxy: useProxy,
    expires_in: expiresInHours(values, new Date()),
    max_views: maxViewsOf(values),
    ...latchOf(values),
    ...(path.trim() && { path: path.trim() }),
    ...(values.slug.trim() && { slug: values.slug.trim() }),
    ...(values.remark.trim() && { remark: values.remark.trim() }),
    ...(values.password && { password: values.password }),
  };
}

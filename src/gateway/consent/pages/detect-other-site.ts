import type { Ctx, Services } from '../../../http/request-context.ts'

/**
 * Whether a page of another site sent this form. Browsers say so in Sec-Fetch-Site; older ones, and those on
 * plain HTTP, name the page's origin. Programs that are no browsers name neither.
 */
export function isOfOtherSite(c: Ctx, { config }: Pick<Services, 'config'>): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const origin = c.req.header('origin')
  if (origin === undefined || origin === config.publicUrl) return false
  return !URL.canParse(origin) || new URL(origin).host !== c.req.header('host')
}

import { t } from '../../language/words.ts'

/**
 * Parts of User-Agent headers, with the browser that each stands for. The first match counts: the header of
 * Edge, for example, also contains `Chrome/` and `Safari/`.
 */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

const MAX_SHOWN = 40

/** Describes a User-Agent header as `Firefox on Windows`; an unknown program by the header's first word. */
export function describeProgram(userAgent: string): string {
  const find = (names: typeof BROWSERS | typeof SYSTEMS) =>
    names.find(([mark]) => userAgent.includes(mark))?.[1]
  const browser = find(BROWSERS)
  if (!browser) return userAgent.split(/[\s(]/)[0]?.slice(0, MAX_SHOWN) || t('Unknown program')
  const system = find(SYSTEMS)
  return system ? t('{browser} on {system}', { browser, system }) : browser
}

import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'

const UNITS = [t('bytes'), 'kB', 'MB', 'GB', 'TB'] as const
const rounded = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** Formats a size for people: `227 kB`, `1.4 GB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const figure = bytes / 1000 ** power
  return `${power === 0 || figure >= 10 ? formatNumber(Math.round(figure)) : rounded.format(figure)} ${UNITS[power]}`
}

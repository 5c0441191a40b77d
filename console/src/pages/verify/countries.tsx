import { findPhoneCountry } from '#portable/phone/format-phone.ts'
import { nameCountry } from '../../data/phone/phone-words.ts'
import type { UserSettings, Verification } from '../../data/record-types.ts'
import { saveOwnSettings } from '../../data/user-settings/own.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Badge } from '../../parts/time.tsx'
import { showToast, showToastFault } from '../../parts/toast.tsx'

interface Country {
  readonly id: string
  /** The countries to which the phone numbers belong: several share a code such as `+1`. */
  readonly names: ReadonlySet<string>
  readonly sent: number
  readonly ended: number
  readonly approved: number
}

export function countCountries(
  verifications: readonly Verification[],
  stopped: readonly string[],
): readonly Country[] {
  const found = new Map<string, Country>(stopped.map((id) => [id, { id, ...NO_CODES }]))
  for (const { country, to, status } of verifications) {
    const { names, sent, ended, approved } = found.get(country) ?? NO_CODES
    found.set(country, {
      id: country,
      names: new Set([...names, findPhoneCountry(to)].filter(Boolean)),
      sent: sent + 1,
      ended: ended + Number(status !== 'pending' && status !== 'canceled'),
      approved: approved + Number(status === 'approved'),
    })
  }
  return [...found.values()].sort((a, b) => b.sent - a.sent)
}

const NO_CODES: Omit<Country, 'id'> = { names: new Set(), sent: 0, ended: 0, approved: 0 }

export const COUNTRIES: readonly Column<Country>[] = [
  {
    title: t('Country'),
    cell: ({ id, names }) => `${id} ${[...names].map(nameCountry).join(', ')}`,
  },
  { title: t('Sent#codes'), align: 'end', cell: ({ sent }) => formatNumber(sent) },
  { title: t('Approved#codes'), align: 'end', cell: ({ approved }) => formatNumber(approved) },
  {
    title: t('Rate'),
    align: 'end',
    cell: ({ ended, approved }) => (ended > 0 ? percents.format(approved / ended) : '–'),
  },
]

export const listStopped = (settings: UserSettings | undefined) =>
  settings?.code_stopped.split(',').filter(Boolean) ?? []

/** Says whether a country gets no codes any more, with a button that allows it again. */
export const makeStateColumn = (settings: UserSettings | undefined): Column<Country> => ({
  title: t('State'),
  cell: ({ id }) => {
    const stopped = listStopped(settings)
    if (!stopped.includes(id)) return <Badge tone="good">{t('Allowed')}</Badge>
    return (
      <>
        <Badge tone="bad">{t('Stopped')}</Badge>{' '}
        <Button
          kind="quiet"
          onClick={() => void allowCountry(stopped, id).then(showToast, showToastFault)}
        >
          {t('Allow {country} again', { country: id })}
        </Button>
      </>
    )
  },
})

async function allowCountry(stopped: readonly string[], country: string): Promise<string> {
  await saveOwnSettings({ code_stopped: stopped.filter((id) => id !== country).join(',') })
  return t('{country} gets codes again', { country })
}

export const percents = new Intl.NumberFormat(locale, { style: 'percent' })

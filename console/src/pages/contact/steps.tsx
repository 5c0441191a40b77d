import type { ComponentChildren } from 'preact'
import type { Consent, ConsentState } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { Facts } from '../../parts/page.tsx'
import { formatDateTime, formatDay } from '../../parts/time.tsx'
import type { Step } from '../../parts/time-line-step.ts'
import { to } from '../../router.ts'

export const STATES = {
  given: ['good', t('agreed')],
  asked: ['busy', t('asked')],
  claimed: ['calm', t('without proof')],
  stopped: ['warn', t('stopped')],
} as const satisfies Record<ConsentState['state'], readonly unknown[]>

const ALL = 'all'

/** The group or the purpose that a consent is about. */
export const describePurpose = ({
  purpose,
  expand,
}: Pick<Consent | ConsentState, 'purpose' | 'expand'>): string =>
  expand?.group?.name ?? (purpose === ALL ? t('All texts') : purpose)

const EVENTS = {
  opt_in: ['good', t('Agreed')],
  confirmed: ['good', t('Confirmed')],
  opt_out: ['warn', t('Opted out')],
  imported: ['', t('Imported')],
} as const satisfies Record<Consent['event'], readonly unknown[]>

const SOURCES: Readonly<Record<Consent['source'], string>> = {
  '': '',
  keyword: t('a word that the person texted'),
  reply: t('the reply to a question'),
  page: t('the public page'),
  api: t('a program'),
  import: t('an import'),
  console: t('the console'),
}

/** What `said` has: a member also enters there how the person agreed. */
const saidBy = (source: Consent['source']) =>
  source === 'console' || source === 'import' ? t('How they agreed') : t('Text of the person')

/** A member enters only the day. */
const formatGiven = ({ source, given_at }: Consent) =>
  source === 'console' || source === 'import' ? formatDay(given_at) : formatDateTime(given_at)

/** A record of consent as a step of a time line, with its proof. */
export function makeStep(entry: Consent): Step<ComponentChildren> {
  const [tone, word] = EVENTS[entry.event]
  const { id, created, source, shown, version, said, message, given_at, address, browser, expand } = entry
  const facts = [
    source !== '' && ([t('By'), SOURCES[source]] as const),
    expand?.entered_by?.name !== undefined && ([t('Entered by'), expand.entered_by.name] as const),
    given_at !== '' && ([t('Given'), formatGiven(entry)] as const),
    shown !== '' && ([t('Text that the person saw'), <p class="as-written">{shown}</p>] as const),
    version !== '' && ([t('Version'), <code>{version}</code>] as const),
    said !== '' &&
      ([saidBy(source), message ? <a href={to(`/messages/${message}`)}>{said}</a> : said] as const),
    address !== '' && ([t('Network address'), address] as const),
    browser !== '' && ([t('Browser'), browser] as const),
  ]
  return {
    id,
    tone,
    at: created,
    words: `${word}: ${describePurpose(entry)}`,
    detail: <Facts facts={facts} />,
  }
}

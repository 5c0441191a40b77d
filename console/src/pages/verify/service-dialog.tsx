import type { VerifyService } from '../../data/record-types.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { Value } from '../../parts/rows/values.ts'

type Texts = Readonly<Record<string, string>>

const LANGUAGE = /^([a-z]{2,3}(?:-[a-zA-Z0-9]{2,8})*):[ \t]*(.*)$/

/** Texts as lines to edit, such as `en: Your code is {{code}}.` */
const writeLines = (texts: Texts): string =>
  Object.entries(texts)
    .map(([language, text]) => `${language}: ${text}`)
    .join('\n')

/**
 * Parses edited lines. A line without a language continues the text above. Returns undefined if the first
 * line has no language.
 */
function readTexts(typed: string): Texts | undefined {
  const texts: Record<string, string> = {}
  let last: string | undefined
  for (const line of typed.trim().split('\n')) {
    const [, language, text = ''] = LANGUAGE.exec(line) ?? []
    if (language !== undefined) texts[language] = text
    else if (last !== undefined) texts[last] += `\n${line}`
    else if (line !== '') return undefined
    last = language ?? last
  }
  return texts
}

const CODE = /\{\{\s*code\s*\}\}/gi
const MINUTE = 60
const MAX_MINUTES = 1_440

function findTextsFault(typed: Value): string | undefined {
  const texts = readTexts(String(typed))
  if (!texts)
    return t('Begin each text with its language and a colon, as in en: Your code is {{code}}.')
  const without = Object.keys(texts).find((language) => texts[language]!.search(CODE) < 0)
  return without && t('The text of {language} has no {{code}}.', { language: without })
}

const findMinutesFault = (typed: Value) =>
  Number(typed) >= 1 && Number(typed) <= MAX_MINUTES
    ? undefined
    : t('Use 1 to {count} minutes.', { count: MAX_MINUTES })

const ROWS: readonly FormRow[] = [
  {
    name: 'name',
    label: t('Name'),
    autofocus: true,
    // by another name, the public pages would not find their service
    shown: ({ name }) => name !== OF_PUBLIC_PAGES,
  },
  {
    name: 'templates',
    label: t('Texts#wording'),
    rows: 4,
    placeholder: 'en: Your code is {{code}}.',
    hint: t(
      'A line for each language, with {{code}} for the code. Empty: texts in nine languages.',
    ),
    read: (stored) => writeLines((stored ?? {}) as Texts),
    write: (typed) => readTexts(String(typed)),
    error: findTextsFault,
  },
  ({ values }) => (
    <Preview
      texts={readTexts(String(values.templates)) ?? {}}
      digits={Number(values.code_length)}
    />
  ),
  [
    { name: 'code_length', label: t('Digits of a code') },
    {
      name: 'ttl',
      label: t('Minutes that a code is valid'),
      min: 1,
      max: MAX_MINUTES,
      error: findMinutesFault,
      read: (seconds) => String(Math.round(Number(seconds) / MINUTE)),
      write: (minutes) => Number(minutes) * MINUTE,
    },
  ],
  {
    summary: t('Language, web page, Android app'),
    folded: [
      { name: 'default_locale', label: t('Language if none is asked for') },
      {
        name: 'domain',
        label: t('Domain of the web page'),
        placeholder: 'example.com',
        hint: t('The browser then offers the code to the page (WebOTP).'),
      },
      {
        name: 'app_hash',
        label: t('Hash of the Android app'),
        hint: t('The app then reads the code itself. A service has an app or a domain, not both.'),
      },
    ],
  },
]

/** The service that the server makes for the first visitor of a group's public page. */
export const OF_PUBLIC_PAGES = 'join page'

const BLANK = { code_length: 6, ttl: 600 }

export const ServiceDialog = ({
  service,
  onClose,
}: {
  service: VerifyService | undefined
  onClose: () => void
}) => (
  <Dialog title={service ? t('Change the service') : t('New service')} onClose={onClose} wide>
    <RecordForm
      collection="verify_services"
      record={service}
      rows={ROWS}
      blank={BLANK}
      saved={t('Service saved')}
      onClose={onClose}
    />
  </Dialog>
)

const Preview = ({ texts, digits }: { texts: Texts; digits: number }) => (
  <section class="stack" aria-label={t('Preview')}>
    {Object.entries(texts).map(([language, text]) => {
      const filled = text.replace(CODE, () => '1234567890'.slice(0, digits))
      return (
        <p key={language} class="note" lang={language}>
          {filled} <span class="muted">{formatTextSize(filled)}</span>
        </p>
      )
    })}
  </section>
)

import type { Hours } from '../../data/hours.ts'
import type { AutoAnswer, Template } from '../../data/records.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { hoursRows, linesRow } from '../../parts/rows/common-rows.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'

const MOST_TEMPLATES = 500

const rowsFor = (templates: readonly Template[]): readonly FormRow[] => [
  { name: 'name', label: t('Name'), hint: t('For you alone.') },
  {
    ...{ name: 'match', label: t('What arrives') },
    choices: Object.entries(MATCHES).map(([match, [words]]) => [match, words] as const),
    hint: t('STOP, START and words like them never come here.'),
  },
  {
    ...{ name: 'value', label: t('Words'), hint: t('With commas between. Capitals do not matter.') },
    shown: ({ match }) => match !== 'any',
    write: (typed, { match }) => (match === 'any' ? '' : typed),
  },
  linesRow(t('Lines that it comes in by (none: all)')),
  ...hoursRows(
    { from: 'hours_from', to: 'hours_to', days: 'days' },
    { from: t('From (empty: always)'), to: t('Until'), days: t('Days (none: every day)') },
  ),
  {
    ...{ name: 'template', label: t('Answer with'), shown: () => templates.length > 0 },
    choices: [
      ['', t('A text')],
      ...templates.map(({ id, name }) => [id, t('Template {name}', { name })] as const),
    ],
    hint: ({ template }) => templates.find(({ id }) => id === template)?.body,
  },
  {
    ...{ name: 'body', label: t('Answer'), kind: 'area' },
    shown: ({ template }) => template === '',
    write: (typed, { template }) => (template ? '' : typed),
    hint: ({ body }) => formatTextSize(String(body)),
  },
  {
    ...{ name: 'pause_hours', label: t('Pause in hours') },
    hint: t(
      'A number gets this answer once in so many hours. 0: each time, but never more than 5 automatic answers in 24 hours.',
    ),
  },
  { name: 'enabled', label: t('On') },
]

/** Creates or edits an automatic answer. */
export function AnswerForm({ answer, onClose }: { answer: AutoAnswer | undefined; onClose: () => void }) {
  const { items } = useList<Template>('sms_templates', { sort: 'name', perPage: MOST_TEMPLATES })
  return (
    <Dialog
      title={answer ? t('Change the automatic answer') : t('New automatic answer')}
      onClose={onClose}
      wide
    >
      <RecordForm
        collection="auto_answers"
        record={answer}
        rows={rowsFor(items)}
        blank={{ enabled: true, match: 'any', pause_hours: 12 }}
        prepare={(_, all) => all}
        saved={t('Automatic answer saved')}
        {...{ onSaved: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}

type Match = AutoAnswer['match']

/** Labels of each kind of match: for the choice, and for a sentence with the words. */
const MATCHES: Readonly<Record<Match, readonly [choice: string, about: (value: string) => string]>> = {
  any: [t('Any text'), () => t('Any text')],
  words: [t('The text is one of these words'), (value) => t('The text is {words}', { words: value })],
  first_word: [
    t('Begins with one of these words'),
    (value) => t('The text begins with {words}', { words: value }),
  ],
  contains: [t('Contains one of these words'), (value) => t('The text contains {words}', { words: value })],
}

/** Which texts an answer is for, in words. */
export const forWhich = ({ match, value }: AutoAnswer): string => MATCHES[match][1](value)

/** Its name, else which texts it is for. */
export const answerName = (answer: AutoAnswer): string => answer.name || forWhich(answer)

export const hoursOf = ({ hours_from, hours_to, days }: AutoAnswer): Hours => ({
  from: hours_from,
  to: hours_to,
  days,
})

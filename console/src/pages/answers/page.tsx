import { pb } from '../../data/client.ts'
import { describeHours, type Hours } from '../../data/hours.ts'
import type { AutoAnswer, Template } from '../../data/record-types.ts'
import { warnOfVariables } from '../../data/text/answer-variables.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import { useLabels, useList, useTemplates } from '../../data/use/use-list.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { t, tn } from '../../language/words.ts'
import { PicturesMark } from '../../parts/attachments/attachments.tsx'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { LabelChip } from '../../parts/labels/label-chip.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { makeHoursRows, makeLabelRow, makeLinesRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { usePicturesRow } from '../../parts/rows/pictures-row.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { Badge, OnOffBadge } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'

export const Page = () => (
  <ListPage
    title={t('Automatic answers')}
    text={t(
      'Sent when a text arrives, for example at night. The first match in this list is sent.',
    )}
    list={useList<AutoAnswer>('auto_answers', { sort: 'created', expand: 'template,label' })}
    columns={makeAnswerColumns}
    icon="answers"
    none={[
      t('No automatic answers yet'),
      t('Tell people when you are back, or answer the word PRICE with your prices.'),
    ]}
    add={t('New automatic answer')}
    needs="admin"
    dialog={(answer, close) => <AnswerForm answer={answer} onClose={close} />}
  />
)

const makeAnswerColumns = (edit: (answer: AutoAnswer) => void): readonly Column<AutoAnswer>[] => [
  { title: t('Name'), cell: nameAnswer },
  { title: t('Trigger'), long: true, cell: describeMatch },
  {
    title: t('When'),
    minor: true,
    cell: (answer) => (
      <>
        {describeHours(readHours(answer)) || t('Always')}
        {answer.lines.length > 0 &&
          `, ${tn('on one line', 'on {count} lines', answer.lines.length)}`}
      </>
    ),
  },
  {
    title: t('Answer'),
    long: true,
    cell: ({ body, enabled, expand, attachments }) => (
      <>
        {expand?.label && <LabelChip label={expand.label} />} <PicturesMark files={attachments} />{' '}
        {body ||
          (expand?.template && t('Template {name}', { name: expand.template.name })) ||
          (enabled && (
            <Badge tone="warn">{t('Nothing is sent: its template was deleted.')}</Badge>
          ))}{' '}
        <span class="muted">{warnOfVariables(body || expand?.template?.body)}</span>
      </>
    ),
  },
  {
    title: t('State'),
    cell: ({ enabled }) => <OnOffBadge isOn={enabled} />,
  },
  makeActionsColumn((answer) => {
    const name = nameAnswer(answer)
    return [
      {
        words: answer.enabled ? t('Switch off') : t('Switch on'),
        onClick: () => switchAnswer(answer),
      },
      { icon: 'edit', words: t('Change {name}', { name }), onClick: () => edit(answer) },
      { icon: 'trash', words: t('Delete {name}', { name }), onClick: () => deleteAnswer(answer) },
    ]
  }, 'admin'),
]

function switchAnswer(answer: AutoAnswer): void {
  const { id, enabled } = answer
  const name = nameAnswer(answer)
  const said = enabled ? t('{name} is off', { name }) : t('{name} is on', { name })
  void runWithToast(() => pb.collection('auto_answers').update(id, { enabled: !enabled }), said)
}

const deleteAnswer = (answer: AutoAnswer) =>
  deleteRecord(
    answer,
    {
      title: t('Delete {name}?', { name: nameAnswer(answer) }),
      text: t('Nobody gets this answer any more.'),
    },
    t('Automatic answer deleted'),
  )

const makeAnswerRows = (
  templates: readonly Template[],
  pictures: FormRow,
  labels: Parameters<typeof makeLabelRow>[0],
): readonly FormRow[] => [
  { name: 'name', label: t('Name'), hint: t('Only your team sees the name.') },
  {
    name: 'match',
    label: t('Which texts get this answer'),
    choices: Object.entries(MATCHES).map(([match, [words]]) => [match, words] as const),
    hint: ({ match, value }) =>
      match === 'any' && value
        ? t('If you save now, the words {words} are lost.', { words: String(value) })
        : t('STOP, START and words like them never get an automatic answer.'),
  },
  {
    name: 'value',
    label: t('Words'),
    hint: t('Separate words by commas. Capitals do not matter.'),
    shown: ({ match }) => match !== 'any',
    write: (typed, { match }) => (match === 'any' ? '' : typed),
  },
  makeLinesRow(t('Only texts to these lines (none: all)')),
  ...makeHoursRows(
    { from: 'hours_from', to: 'hours_to', days: 'days' },
    {
      from: t('From (empty: always)'),
      to: t('Until'),
      days: t('Days (none: every day)'),
      hint: t('In the time zone {zone}.', { zone: ownSettings.value?.time_zone || 'UTC' }),
    },
  ),
  {
    name: 'template',
    label: t('Answer with'),
    shown: () => templates.length > 0,
    choices: [
      ['', t('A text')],
      ...templates.map(({ id, name }) => [id, t('Template {name}', { name })] as const),
    ],
    hint: ({ template, body }) =>
      template && body
        ? t('If you save now, your own text is lost: {text}', { text: String(body) })
        : [
            templates.find(({ id }) => id === template)?.body,
            warnOfVariables(templates.find(({ id }) => id === template)?.body),
          ]
            .filter(Boolean)
            .join(' – '),
  },
  {
    name: 'body',
    label: t('Answer'),
    kind: 'area',
    shown: ({ template }) => template === '',
    write: (typed, { template }) => (template ? '' : typed),
    hint: ({ body }) =>
      [formatTextSize(String(body)), warnOfVariables(String(body))].filter(Boolean).join(' · '),
  },
  pictures,
  makeLabelRow(labels, t('The conversation gets it with the answer.')),
  {
    name: 'pause_hours',
    label: t('Pause in hours'),
    hint: t(
      'A number gets this answer once in so many hours. 0: each time, but never more than 5 automatic answers in 24 hours.',
    ),
  },
  { name: 'enabled', label: t('On') },
]

function AnswerForm({ answer, onClose }: { answer: AutoAnswer | undefined; onClose: () => void }) {
  const templates = useTemplates()
  const labels = useLabels().items
  const { row, addTo, forget } = usePicturesRow('auto_answers', answer)
  return (
    <Dialog
      title={answer ? t('Change the automatic answer') : t('New automatic answer')}
      onClose={onClose}
      wide
    >
      <RecordForm
        collection="auto_answers"
        record={answer}
        rows={makeAnswerRows(templates, row, labels)}
        blank={{ enabled: true, match: 'any', pause_hours: 12 }}
        prepare={(_, all) => addTo(all)}
        saved={t('Automatic answer saved')}
        onClose={() => {
          forget()
          onClose()
        }}
      />
    </Dialog>
  )
}

type Match = AutoAnswer['match']

/** For each way to match an incoming text: a label in the form, and a description with the words to match. */
const MATCHES: Readonly<
  Record<Match, readonly [choice: string, about: (value: string) => string]>
> = {
  any: [t('Any text'), () => t('Any text')],
  words: [
    t('The text is one of these words'),
    (value) => t('The text is {words}', { words: value }),
  ],
  first_word: [
    t('Begins with one of these words'),
    (value) => t('The text begins with {words}', { words: value }),
  ],
  contains: [
    t('Contains one of these words'),
    (value) => t('The text contains {words}', { words: value }),
  ],
}

const describeMatch = ({ match, value }: AutoAnswer): string => MATCHES[match][1](value)

const nameAnswer = (answer: AutoAnswer): string => answer.name || describeMatch(answer)

const readHours = ({ hours_from, hours_to, days }: AutoAnswer): Hours => ({
  from: hours_from,
  to: hours_to,
  days,
})

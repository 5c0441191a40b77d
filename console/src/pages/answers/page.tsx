import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { hoursWords } from '../../data/hours.ts'
import type { AutoAnswer } from '../../data/records.ts'
import { may } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/delete-record.ts'
import { CheckField } from '../../parts/form/field.tsx'
import { actionsColumn, ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { toastFault } from '../../parts/toast.tsx'
import { AnswerForm, answerName, forWhich, hoursOf } from './answer-form.tsx'

/** The automatic answers, in the order in which the server tries them. */
export const Page = () => (
  <ListPage
    title={t('Automatic answers')}
    text={t(
      'Sent by themselves when a text comes in, such as at night. The first one in this list that matches is sent. STOP and START are never answered, and a number gets at most 5 in 24 hours.',
    )}
    list={useList<AutoAnswer>('auto_answers', { sort: 'created', expand: 'template' })}
    columns={columnsFor}
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

const columnsFor = (edit: (answer: AutoAnswer) => void): readonly Column<AutoAnswer>[] => [
  { title: t('Name'), cell: answerName },
  { title: t('For'), cell: forWhich },
  {
    title: t('When'),
    cell: (answer) => (
      <>
        {hoursWords(hoursOf(answer)) || t('Always')}
        {answer.lines.length > 0 && `, ${tn('on one line', 'on {count} lines', answer.lines.length)}`}
      </>
    ),
  },
  {
    title: t('Answer'),
    long: true,
    cell: ({ body, expand }) => body || t('Template {name}', { name: expand?.template?.name ?? '' }),
  },
  {
    title: t('State'),
    cell: (answer) =>
      may('admin') ? <Switch key={answer.id} answer={answer} /> : answer.enabled ? t('On') : t('Off'),
  },
  actionsColumn((answer) => [
    {
      icon: 'edit',
      words: t('Change {name}', { name: answerName(answer) }),
      needs: 'admin',
      onClick: () => edit(answer),
    },
    {
      icon: 'trash',
      words: t('Delete {name}', { name: answerName(answer) }),
      needs: 'admin',
      onClick: () => remove(answer),
    },
  ]),
]

/** Turns an answer on or off at once. Returns to the old state if that fails. */
function Switch({ answer }: { answer: AutoAnswer }) {
  const [isOn, setOn] = useState(answer.enabled)
  useEffect(() => setOn(answer.enabled), [answer.enabled])
  const change = async (enabled: boolean) => {
    setOn(enabled)
    await pb
      .collection('auto_answers')
      .update(answer.id, { enabled })
      .catch((error) => {
        setOn(!enabled)
        toastFault(error)
      })
  }
  return (
    <CheckField
      label={
        <>
          <span class="unseen">{answerName(answer)}: </span>
          {t('On')}
        </>
      }
      name={`enabled-${answer.id}`}
      value={isOn}
      onValue={(enabled) => void change(enabled)}
    />
  )
}

const remove = (answer: AutoAnswer) =>
  deleteRecord(
    answer,
    {
      title: t('Delete {name}?', { name: answerName(answer) }),
      text: t('Nobody gets this answer any more.'),
      action: t('Delete'),
    },
    t('Automatic answer deleted'),
  )

import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { hoursWords } from '../../data/hours.ts'
import type { AutoAnswer } from '../../data/records.ts'
import { may } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/delete-record.ts'
import { Button } from '../../parts/form/button.tsx'
import { CheckField } from '../../parts/form/field.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { toastFault } from '../../parts/toast.tsx'
import { AnswerForm } from './answer-form.tsx'
import './page.css'
import { answerName, forWhich, hoursOf } from './answer-words.ts'

/** The automatic answers, in the order in which the server tries them. */
export function Page() {
  const answers = useList<AutoAnswer>('auto_answers', { sort: 'created', expand: 'template' })
  const [edited, setEdited] = useState<AutoAnswer | 'new'>()
  const add = (
    <Button kind="primary" icon="plus" needs="admin" onClick={() => setEdited('new')}>
      {t('New automatic answer')}
    </Button>
  )
  return (
    <Frame
      title={t('Automatic answers')}
      text={t(
        'Sent by themselves when a text comes in, such as at night. The first one in this list that matches is sent. STOP and START are never answered, and a number gets at most 5 in 24 hours.',
      )}
      actions={answers.total > 0 && add}
    >
      <Records
        list={answers}
        caption={t('Automatic answers')}
        columns={columnsFor(setEdited)}
        empty={
          <Empty icon="answers" title={t('No automatic answers yet')} action={add}>
            {t('Tell people when you are back, or answer the word PRICE with your prices.')}
          </Empty>
        }
      />
      {edited && (
        <AnswerForm answer={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Frame>
  )
}

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
  {
    title: t('Actions'),
    bare: true,
    align: 'end',
    cell: (answer) => (
      <div class="row answers-actions">
        <Button kind="quiet" icon="edit" iconOnly needs="admin" onClick={() => edit(answer)}>
          {t('Change {name}', { name: answerName(answer) })}
        </Button>
        <Button kind="quiet" icon="trash" iconOnly needs="admin" onClick={() => void remove(answer)}>
          {t('Delete {name}', { name: answerName(answer) })}
        </Button>
      </div>
    ),
  },
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

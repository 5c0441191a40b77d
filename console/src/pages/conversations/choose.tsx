import { signal } from '@preact/signals'
import { E164 } from '#portable/phone/e164.ts'
import type { Label } from '../../data/labels.ts'
import type { Conversation } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { LabelMenu } from '../../parts/labels/label-chooser.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { goToPage } from '../../router.ts'
import { assignConversations, changeConversations, nameConversation } from './change.ts'
import './choose.css'

/** The ids of the chosen conversations; undefined while the list has no boxes to choose by. */
const chosen = signal<ReadonlySet<string> | undefined>(undefined)

const chooseConversations = (conversations: readonly Conversation[]) => {
  chosen.value = new Set(conversations.map(({ id }) => id))
}

const toggleConversation = ({ id }: Conversation) => {
  const others = [...(chosen.value ?? [])].filter((each) => each !== id)
  chosen.value = new Set(chosen.value?.has(id) ? others : [...others, id])
}

/** While conversations are chosen, a press of a row chooses it instead of opening it. */
export function chooseByRow(event: MouseEvent, conversation: Conversation): void {
  if (!chosen.value) return
  event.preventDefault()
  toggleConversation(conversation)
}

export const ChooseButton = () => (
  <Button
    icon="check"
    iconOnly
    needs="agent"
    aria-pressed={chosen.value !== undefined}
    onClick={() => {
      chosen.value = chosen.value ? undefined : new Set()
    }}
  >
    {t('Choose several')}
  </Button>
)

export const ChooseBox = ({ conversation }: { conversation: Conversation }) =>
  chosen.value && (
    <label class="conversations-choose">
      <input
        type="checkbox"
        aria-label={t('Choose {name}', { name: nameConversation(conversation) })}
        checked={chosen.value.has(conversation.id)}
        onChange={() => toggleConversation(conversation)}
      />
    </label>
  )

/** Actions on the chosen ones of the shown conversations. */
export function ChosenBar({
  shown,
  people,
  labels,
}: {
  shown: readonly Conversation[]
  people: People
  labels: readonly Label[]
}) {
  const work = useTask(async (change: (all: readonly Conversation[]) => Promise<void>) => {
    await change(all)
    chosen.value = undefined
  })
  if (!chosen.value) return null
  const all = shown.filter(({ id }) => chosen.value?.has(id))
  const props = { disabled: all.length === 0, busy: work.busy }
  const numbers = all.map(({ number }) => number).filter((number) => E164.test(number))
  const isArchived = all.length > 0 && all.every(({ archived }) => archived)
  const archive = (conversations: readonly Conversation[]) =>
    changeConversations(
      conversations,
      { archived: !isArchived },
      isArchived
        ? tn(
            'One conversation is back in the list',
            '{count} conversations are back in the list',
            all.length,
          )
        : tn('One conversation archived', '{count} conversations archived', all.length),
    )
  const read = (conversations: readonly Conversation[]) =>
    changeConversations(
      conversations.filter(({ unread }) => unread > 0),
      { unread: 0 },
      tn('One conversation marked as read', '{count} conversations marked as read', all.length),
    )
  return (
    <section class="conversations-chosen" aria-label={t('Chosen conversations')}>
      <div class="row">
        <strong role="status">{tn('1 chosen', '{count} chosen', all.length)}</strong>
        <Button
          kind="quiet"
          onClick={() => chooseConversations(all.length < shown.length ? shown : [])}
        >
          {all.length < shown.length ? t('Choose all shown') : t('Choose none')}
        </Button>
      </div>
      <div class="row">
        {people.hasTeam && (
          <Menu disabled={all.length === 0} words={t('Assign')} icon="assign">
            {(close) =>
              [...people.agents, { id: '', name: t('Nobody') }].map(({ id, name }) => (
                <Button
                  key={id}
                  kind="quiet"
                  onClick={() => {
                    close()
                    void work.run((conversations) => assignConversations(conversations, id, people))
                  }}
                >
                  {id === session.value?.sender ? t('Me') : name}
                </Button>
              ))
            }
          </Menu>
        )}
        <LabelMenu records={all} labels={labels} />
        <Button {...props} icon="backups" onClick={() => void work.run(archive)}>
          {isArchived ? t('Unarchive') : t('Archive')}
        </Button>
        <Button {...props} icon="check" onClick={() => void work.run(read)}>
          {t('Mark as read')}
        </Button>
        <Button
          icon="send"
          disabled={numbers.length === 0}
          onClick={() => goToPage('/send', { to: numbers.join(',') })}
        >
          {t('Send to the chosen')}
        </Button>
      </div>
    </section>
  )
}

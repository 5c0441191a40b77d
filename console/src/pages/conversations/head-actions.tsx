import { useEffect } from 'preact/hooks'
import type { Conversation } from '../../data/records.ts'
import { may, session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { comingDays, inAnHour } from '../../data/text/coming-days.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { WhenMenu } from '../../parts/list/when-menu.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { go } from '../../router.ts'
import { archive, assign, change } from './change.ts'

/** When the person is reminded of the conversation. A press removes the reminder. */
export const FollowUp = ({ conversation }: { conversation: Conversation }) =>
  conversation.follow_up_at !== '' && (
    <button
      type="button"
      class="conversations-chip"
      title={t('Remove the reminder')}
      disabled={!may('agent')}
      onClick={() => void change(conversation, { follow_up_at: '' }, t('Reminder removed'))}
    >
      {t('Follow up · {day}', { day: formatDateTime(conversation.follow_up_at) })}
      <Icon name="close" size={14} />
      <span class="unseen"> {t('Remove the reminder')}</span>
    </button>
  )

export function HeadActions({ conversation, people }: { conversation: Conversation; people: People }) {
  const { hasTeam } = people
  const sender = session.value?.sender ?? ''
  const isMine = conversation.assignee === sender
  const take = () => assign(conversation, isMine ? '' : sender, people)
  const close = async () => {
    // leave the thread first: an open thread marks its conversation as read
    go('/conversations')
    await archive(conversation)
  }
  const followUp = (at: Date) => {
    const day = formatDateTime(at.toISOString())
    return change(conversation, { follow_up_at: at.toISOString() }, t('You are reminded on {day}', { day }))
  }
  useKeys({ ...(hasTeam && { a: take }), e: close })
  return (
    <>
      {hasTeam && (
        <Button icon="users" iconOnly aria-pressed={isMine} aria-keyshortcuts="A" onClick={() => void take()}>
          {t('Assign to me')}
        </Button>
      )}
      <WhenMenu
        words={t('Follow up')}
        icon="clock"
        iconOnly
        named={(now) => [inAnHour(now), ...comingDays(now)]}
        action={t('Follow up then')}
        onPick={followUp}
      />
      <Button kind="quiet" icon="backups" iconOnly aria-keyshortcuts="E" onClick={() => void close()}>
        {conversation.archived ? t('Unarchive') : t('Archive')}
      </Button>
    </>
  )
}

/** Calls a key's function when the key is pressed without Ctrl, Cmd or Alt, outside of fields and dialogs. */
function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyped = (event.target as Element).closest('input, select, textarea, dialog, [role="listbox"]')
      if (isTyped || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      // in lower case, because Caps Lock makes it an A
      void keys[event.key.toLowerCase()]?.()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

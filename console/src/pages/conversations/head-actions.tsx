import { useEffect } from 'preact/hooks'
import type { Conversation } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { comingDays } from '../../data/text/coming-days.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { WhenMenu } from '../../parts/list/when-menu.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { go } from '../../router.ts'
import { archive, assign, change } from './change.ts'

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
  const followUp = (at: Date | undefined) =>
    at
      ? change(conversation, { follow_up_at: at.toISOString() }, t('You are reminded then'))
      : change(conversation, { follow_up_at: '' }, t('Reminder removed'))
  useKeys({ ...(hasTeam && { a: take }), e: close })
  return (
    <>
      {hasTeam && (
        <Button icon="users" iconOnly aria-pressed={isMine} aria-keyshortcuts="A" onClick={() => void take()}>
          {t('Assign to me')}
        </Button>
      )}
      {conversation.follow_up_at ? (
        <Button kind="quiet" icon="close" iconOnly onClick={() => void followUp(undefined)}>
          {t('Remove the reminder of {day}', { day: formatDateTime(conversation.follow_up_at) })}
        </Button>
      ) : (
        <WhenMenu
          words={t('Follow up')}
          icon="clock"
          iconOnly
          named={comingDays}
          action={t('Follow up then')}
          onPick={(at) => void followUp(at)}
        />
      )}
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

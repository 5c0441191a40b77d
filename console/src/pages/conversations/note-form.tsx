import type { ComponentChildren } from 'preact'
import { sendText } from '../../data/connection/outbox.ts'
import { changeRecord } from '../../data/optimistic.ts'
import type { Note } from '../../data/record-types.ts'
import type { People } from '../../data/team/people.ts'
import { hasDraft, useDraft } from '../../data/use/use-draft.ts'
import { t } from '../../language/words.ts'
import { Button, Form } from '../../parts/form/form.tsx'
import { showToastFault } from '../../parts/toast.tsx'
import { CompletingArea, type Completion } from './completing-area.tsx'

const makeDraftKey = (id: string) => `note.${id}`

/** Whether this tab keeps a new note of a conversation, or a change of a note, that was not saved. */
export const hasNoteDraft = (id: string, text = ''): boolean => hasDraft(makeDraftKey(id), text)

export function NoteForm({
  number = '',
  conversation,
  people,
  note,
  kinds,
  onDone,
}: {
  /** The number of the conversation, for a new note. */
  number?: string
  conversation: string
  people: People
  note?: Note
  kinds?: ComponentChildren
  onDone: () => void
}) {
  const draft = useDraft(makeDraftKey(note?.id ?? conversation), note?.text ?? '')
  const text = draft.value
  const save = () => {
    const mentions = people.all.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id)
    draft.saved(note ? text : '')
    onDone()
    if (note)
      return changeRecord('conversation_notes', note.id, { text, mentions }).catch(showToastFault)
    return sendText({
      number,
      request: { body: text },
      note: { conversation, mentions },
      isFirst: false,
      after: '',
    })
  }
  const find = (typed: string): Completion[] =>
    people.all
      .filter(({ name }) => name.toLocaleLowerCase().startsWith(typed.toLocaleLowerCase()))
      .map(({ id, name }) => ({ id, title: name, text: `@${name} ` }))
  const cancel = () => {
    draft.discard()
    onDone()
  }
  const submit = () => text.trim() !== '' && void save()
  return (
    <Form onSubmit={submit}>
      <CompletingArea
        label={people.hasTeam ? t('Note for the team: it is not sent') : t('Note: it is not sent')}
        name="text"
        value={text}
        onValue={draft.set}
        sign="@"
        listLabel={t('Team')}
        find={find}
        onSubmit={submit}
      />
      <div class="conversations-send">
        {kinds}
        {note && <Button onClick={cancel}>{t('Cancel')}</Button>}
        <Button type="submit" kind="primary" disabled={text.trim() === ''}>
          {t('Save the note')}
        </Button>
      </div>
    </Form>
  )
}

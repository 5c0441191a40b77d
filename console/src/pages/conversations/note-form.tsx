import type { ComponentChildren } from 'preact'
import { pb } from '../../data/client.ts'
import { userId } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import type { Note } from '../../data/team/team.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button, Form } from '../../parts/form/form.tsx'
import { CompletingArea, type Completion } from './completing-area.tsx'

export function NoteForm({
  conversation,
  people,
  note,
  kinds,
  onDone,
}: {
  conversation: string
  people: People
  note?: Note
  kinds?: ComponentChildren
  onDone: () => void
}) {
  const draft = useDraft(`note.${note?.id ?? conversation}`, note?.text ?? '')
  const text = draft.value
  const save = useTask(async () => {
    const mentions = people.all.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id)
    const notes = pb.collection('conversation_notes')
    if (note) await notes.update(note.id, { text, mentions })
    else await notes.create({ user: userId(), conversation, text, mentions })
    draft.saved(note ? text : '')
    onDone()
  })
  const find = (typed: string): Completion[] =>
    people.all
      .filter(({ name }) => name.toLocaleLowerCase().startsWith(typed.toLocaleLowerCase()))
      .map(({ id, name }) => ({ id, title: name, text: `@${name} ` }))
  const submit = () => (text.trim() === '' || save.busy ? undefined : save.run())
  return (
    <Form onSubmit={submit} fault={save.fault}>
      <CompletingArea
        label={people.hasTeam ? t('Note for the team: it is not sent') : t('Note: it is not sent')}
        name="text"
        value={text}
        onValue={draft.set}
        sign="@"
        listLabel={t('Team')}
        find={find}
        onSubmit={() => void submit()}
      />
      <div class="conversations-send">
        {kinds}
        {note && <Button onClick={onDone}>{t('Cancel')}</Button>}
        <Button type="submit" kind="primary" busy={save.busy} disabled={text.trim() === ''}>
          {t('Save the note')}
        </Button>
      </div>
    </Form>
  )
}

import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { readPhone } from '../../data/phone.ts'
import type { Contact } from '../../data/records.ts'
import { useLater } from '../../data/use/use-later.ts'
import { useList } from '../../data/use/use-list.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Actions, Form } from '../../parts/form/form.tsx'
import { go, to } from '../../router.ts'

const FOUND = 6

/** Whom to write to: a number, or a contact by a part of the name. */
export function NewConversation({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [isTried, setTried] = useState(false)
  const asked = useLater(text.trim())
  const found = useList<Contact>('contacts', {
    filter: asked ? pb.filter('(name ~ {:asked} || phone ~ {:asked}) && opted_out = false', { asked }) : '',
    sort: 'name',
    perPage: FOUND,
    live: false,
    ready: asked !== '',
  })
  const phone = readPhone(text)
  const open = (number: string) => {
    onClose()
    go(`/conversations/${encodeURIComponent(number)}`)
  }
  return (
    <Dialog title="New conversation" onClose={onClose}>
      <Form onSubmit={() => (phone ? open(phone) : setTried(true))}>
        <TextField
          label="Number or contact"
          name="whom"
          value={text}
          onValue={setText}
          autofocus
          autocomplete="off"
          error={
            isTried && !phone
              ? 'Choose a contact below, or write a number with its country: +49 151 12345678.'
              : undefined
          }
        />
        {asked !== '' && (
          <ul class="conversations-found" aria-label="Contacts">
            {found.items.map(({ id, name, phone: number }) => (
              <li key={id}>
                <a href={to(`/conversations/${encodeURIComponent(number)}`)} onClick={onClose}>
                  {name || number} <span class="muted mono">{number}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
        <Actions>
          <Button type="submit" kind="primary">
            Write
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

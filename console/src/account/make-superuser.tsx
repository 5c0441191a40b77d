import { useState } from 'preact/hooks'
import { t } from '../language/words.ts'
import { CodeBlock } from '../parts/code.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Button, Form } from '../parts/form/form.tsx'
import { go, to } from '../router.ts'
import { Sheet } from './sheet.tsx'

/** The token, in a pasted link or alone. */
const TOKEN = /(?:^|pbinstall\/)([\w-]+\.[\w-]+\.[\w-]+)\s*$/

/** Explains how to create the first superuser: by the link that the server printed, or by a command. */
export function Page() {
  const [link, setLink] = useState('')
  const [error, setError] = useState('')
  const open = () => {
    const token = TOKEN.exec(link.trim())?.[1]
    if (token) go(`/pbinstall/${token}`)
    else setError(t('This is not the link. It ends with three parts that have dots between them.'))
  }
  return (
    <Sheet
      title={t('Make the first superuser')}
      text={t(
        'Only the person who runs the server can do this. At its start the server prints a link that is good for 30 minutes; its log has it.',
      )}
    >
      <Form onSubmit={open}>
        <TextField
          label={t('The link that the server printed')}
          name="link"
          autocomplete="off"
          placeholder="http://…/_/#/pbinstall/…"
          value={link}
          onValue={setLink}
          error={error}
        />
        <Button type="submit" kind="primary">
          {t('Go on')}
        </Button>
      </Form>
      <p>
        {t(
          'Or run this on the server, with an address and a password of yours. With the embedded database, stop the server first.',
        )}
      </p>
      <CodeBlock code="npx pocketsms superuser upsert you@example.com a-long-password" />
      <a class="aside" href={to('/')}>
        {t('Back to the sign-in')}
      </a>
    </Sheet>
  )
}

import { useState } from 'preact/hooks'
import { t } from '../language/words.ts'
import { Button } from './form/form.tsx'
import { showToast } from './toast.tsx'
import '../style/code-block.css'

/** Code with a copy button. The button copies `original` if `code` is a version made easier to read. */
export const CodeBlock = ({ code, original = code }: { code: string; original?: string }) => (
  <div class="code-block">
    <pre>
      <code>{code}</code>
    </pre>
    <Copy text={original} />
  </div>
)

const SHOWN_MS = 2_000

function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false)
  const copy = async () => {
    if (!(await copyText(text)))
      return showToast(
        t('This browser does not let a page copy: mark the text and copy it yourself.'),
      )
    setDone(true)
    setTimeout(() => setDone(false), SHOWN_MS)
  }
  return (
    <Button icon={done ? 'check' : 'copy'} onClick={() => void copy()}>
      {done ? t('Copied') : t('Copy')}
    </Button>
  )
}

/** Copies a text and returns whether that worked. Plain http has `execCommand`, but no clipboard API. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  const area = document.createElement('textarea')
  area.value = text
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}

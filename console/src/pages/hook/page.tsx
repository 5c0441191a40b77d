import { useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { HOOK_TOOLS, type Hook, type HookPreset, hookUrl } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { to } from '../../router.ts'
import { Calls } from './calls.tsx'
import bodies from './samples.json' with { type: 'json' }
import { Settings, type Unsaved } from './settings.tsx'
import { Try } from './try.tsx'

/** One hook: address, settings, trial and last calls. */
export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Hook>('hooks', id)
  const { record: hook } = read
  if (!hook)
    return (
      <Missing
        {...{ read, icon: 'hooks', title: t('Hook'), gone: t('There is no such hook') }}
        all={[to('/hooks'), t('All hooks')]}
      />
    )
  const tool = HOOK_TOOLS[hook.preset].name
  return (
    <Frame
      title={hook.name}
      text={hook.name !== tool && tool}
      back={{ href: to('/hooks'), words: t('Hooks') }}
    >
      <Parts hook={hook} />
    </Frame>
  )
}

function Parts({ hook }: { hook: Hook }) {
  const [unsaved, setUnsaved] = useState<Unsaved>({ hook, isChanged: false })
  const [chosen, setChosen] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  const choose = (body: string) => {
    setChosen(body)
    area.current?.focus()
  }
  return (
    <>
      <Address hook={hook} />
      <div class="columns">
        <Settings hook={hook} onTyped={setUnsaved} />
        <Try
          hook={hook}
          unsaved={unsaved}
          body={chosen ?? sampleOf(unsaved.hook.preset)}
          onBody={setChosen}
          area={area}
        />
      </div>
      <Calls hook={hook} onChoose={choose} />
    </>
  )
}

/** The secret URL of a hook, and how to enter it in its tool. */
const Address = ({ hook }: { hook: Hook }) => (
  <Card title={t('Address')}>
    <CodeBlock code={hookUrl(hook)} />
    <p>{HOOK_TOOLS[hook.preset].setUp}</p>
    <p class="muted">{t('Who knows the address can send these texts. Change it when it may have leaked.')}</p>
    <div>
      <Button icon="again" onClick={() => void change(hook)}>
        {t('Change the address')}
      </Button>
    </div>
  </Card>
)

async function change({ id }: Hook): Promise<void> {
  const isSure = await confirmed({
    title: t('Change the address?'),
    text: t('The present address ends at once: enter the new one in the program that calls it.'),
    action: t('Change the address'),
    danger: true,
  })
  if (!isSure) return
  await pb
    .collection('hooks')
    .update(id, { secret: '' })
    .then(() => toast(t('The address has changed')), toastFault)
}

/** An example of each tool's request. */
const sampleOf = (preset: HookPreset): string => {
  const body: unknown = bodies[preset]
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2)
}

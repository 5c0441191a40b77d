import { useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { HOOK_TOOLS, type Hook, hookUrl } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import { Settings, type Unsaved } from './settings.tsx'
import './page.css'
import { useRecord } from '../../data/use/use-record.ts'
import { Calls } from './calls.tsx'
import { ExampleCard, makeSample } from './example-card.tsx'

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Hook>('hooks', id)
  const { record: hook } = read
  if (!hook)
    return (
      <Missing
        read={read}
        icon="hooks"
        title={t('Incoming webhook')}
        gone={t('There is no such incoming webhook')}
        all={[to('/hooks'), t('All incoming webhooks')]}
      />
    )
  const tool = HOOK_TOOLS[hook.preset].name
  return (
    <Frame
      title={hook.name}
      text={hook.name !== tool && tool}
      back={{ href: to('/hooks'), words: t('Incoming webhooks') }}
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
        <ExampleCard
          hook={hook}
          unsaved={unsaved}
          body={chosen ?? makeSample(unsaved.hook.preset)}
          onBody={setChosen}
          area={area}
        />
      </div>
      <Calls hook={hook} onChoose={choose} />
    </>
  )
}

const Address = ({ hook }: { hook: Hook }) => (
  <Card title={t('Address')}>
    <CodeBlock code={hookUrl(hook)} />
    <p>{HOOK_TOOLS[hook.preset].setUp}</p>
    <p class="muted">
      {t('Anybody who knows the address can trigger these texts. Change it if it may have leaked.')}
    </p>
    <div>
      <Button icon="again" onClick={() => void change(hook)}>
        {t('Change the address')}
      </Button>
    </div>
  </Card>
)

const change = ({ id }: Hook) =>
  runConfirmed(
    {
      title: t('Change the address?'),
      text: t('The present address stops working at once: enter the new one in the program that calls.'),
      action: t('Change the address'),
    },
    () => pb.collection('hooks').update(id, { secret: '' }),
    t('The address has changed'),
  )

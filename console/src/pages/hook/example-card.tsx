import type { Ref } from 'preact'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { countSegments } from '#portable/segments.ts'
import { useOptedOutNumbers } from '../../data/opt-out/opted-out.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { useTask } from '../../data/use/use-task.ts'
import { callHook, type Hook, type HookPreset, type HookResult } from '../../data/webhooks/hooks.ts'
import { t, tn } from '../../language/words.ts'
import { TextArea } from '../../parts/form/field.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { Bubble } from '../../parts/message/bubble.tsx'
import { Card } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import { findReason, Outcome } from './outcome.tsx'
import bodies from './samples.json' with { type: 'json' }
import type { Unsaved } from './settings.tsx'

export const makeSample = (preset: HookPreset): string => {
  const body: unknown = bodies[preset]
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2)
}

const SHOWN = 5

export function ExampleCard({
  hook,
  unsaved: { hook: typed, isChanged },
  body,
  onBody,
  area,
}: {
  hook: Hook
  unsaved: Unsaved
  body: string
  onBody: (body: string) => void
  area: Ref<HTMLTextAreaElement>
}) {
  const { preview, fault } = usePreview<HookResult>('/api/hooks/preview', { hook: typed, body })
  const stopped = useStopped(preview)
  const call = useTask(async () => {
    const { outcome, messages } = await callHook(hook, body)
    const left = Math.max(0, messages.length - stopped.length)
    if (outcome !== 'sent') showToast(findReason(outcome))
    else if (left === 0) showToast(t('All of these people have opted out.'))
    else showToast(tn('One text is on its way', '{count} texts are on their way', left))
  })
  const refusal = call.fault ?? fault
  return (
    <Card title={t('Example')}>
      <div class="hook-body">
        <TextArea
          label={t('Body')}
          name="body"
          rows={10}
          value={body}
          onValue={(text) => {
            call.forget()
            onBody(text)
          }}
          spellcheck={false}
          inputRef={area}
          hint={t('Paste another body, or choose one of the last calls below.')}
        />
      </div>
      {refusal && <Notice kind="wrong">{refusal.message}</Notice>}
      <div class="stack" aria-live="polite">
        {preview && <Preview result={preview} stopped={stopped} />}
      </div>
      <div class="row">
        <Button icon="send" task={call} disabled={isChanged}>
          {t('Try it')}
        </Button>
        <span class="muted">
          {isChanged
            ? t('Save the settings first.')
            : t('The body is posted to the address above, and texts go out.')}
        </span>
      </div>
    </Card>
  )
}

/** The numbers of an example's texts that have opted out. */
function useStopped(result: HookResult | undefined): readonly string[] {
  const numbers = (result?.texts ?? []).map(({ to }) => to)
  return numbers.filter(useOptedOutNumbers(numbers))
}

function Preview({ result, stopped }: { result: HookResult; stopped: readonly string[] }) {
  const { texts: sent, pictures = [] } = result
  const texts = sent ?? []
  return (
    <>
      {result.outcome !== 'sent' && (
        <div>
          <Outcome result={result} />
        </div>
      )}
      {stopped.length > 0 && (
        <Notice kind="warning">
          {t('Opted out, get nothing: {numbers}', { numbers: stopped.map(formatPhone).join(', ') })}
        </Notice>
      )}
      {texts.slice(0, SHOWN).map(({ to, text }, at) => (
        <Bubble
          key={at}
          who={formatPhone(to)}
          body={text}
          segments={countSegments(text).segments}
        />
      ))}
      {texts.length > SHOWN && (
        <p class="muted">{t('and {count} more', { count: texts.length - SHOWN })}</p>
      )}
      {pictures.length > 0 && (
        <p class="muted breaks">
          {t('With these pictures: {names}', { names: pictures.join(', ') })}
        </p>
      )}
    </>
  )
}

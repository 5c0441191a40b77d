import { useState } from 'preact/hooks'
import { carrierWords } from '../../data/carriers/carrier-words.ts'
import type { CarrierPreset } from '../../data/carriers/carriers.ts'
import { t } from '../../language/words.ts'
import { FormActions } from '../../parts/form/form.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { go, to } from '../../router.ts'
import { Steps } from './steps.tsx'

/** The first step: which carrier. */
export function Choose({ presets }: { presets: readonly CarrierPreset[] }) {
  const [chosen, setChosen] = useState(presets[0]?.name ?? '')
  return (
    <Frame
      title={t('Add a carrier')}
      text={t(
        'An account of a carrier sends texts over the internet, without a phone. It is a device as your phones are: texts take turns over all of them.',
      )}
      back={{ href: to('/devices'), words: t('Devices') }}
    >
      <Steps at={1} />
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          go('/devices/new/carrier', { preset: chosen })
        }}
      >
        <fieldset class="carrier-choices">
          <legend class="unseen">{t('Carrier')}</legend>
          {presets.map((preset) => (
            <Choice
              key={preset.name}
              preset={preset}
              isChosen={preset.name === chosen}
              onChoose={() => setChosen(preset.name)}
            />
          ))}
        </fieldset>
        <p class="note">
          {t(
            'A carrier that uses SMPP is another kind of device: add a modem on a computer, and choose the account of a carrier there.',
          )}
        </p>
        <FormActions onCancel={() => go('/devices')}>{t('Continue')}</FormActions>
      </form>
    </Frame>
  )
}

function Choice({
  preset: { name, receipts, incoming },
  isChosen,
  onChoose,
}: {
  preset: CarrierPreset
  isChosen: boolean
  onChoose: () => void
}) {
  const { name: title, note } = carrierWords(name)
  const lacks = [!receipts && t('No delivery reports.'), !incoming && t('No incoming texts.')].filter(Boolean)
  return (
    <label class="carrier-choice">
      <input type="radio" name="preset" value={name} checked={isChosen} onChange={onChoose} />
      <span>
        <strong>{title}</strong>
        <span class="note">{[note, ...lacks].filter(Boolean).join(' ')}</span>
      </span>
    </label>
  )
}

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isOnline } from '../../data/connection/connection.ts'
import { describeFault, type Fault } from '../../data/fault.ts'
import { hasTeamRole, type TeamRole } from '../../data/session.ts'
import type { Task } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Icon, type IconName } from '../icon.tsx'

/** A form. Shows the errors in `fault` at its top, except errors that the fields in `names` show. */
export function Form({
  onSubmit,
  fault,
  names = [],
  children,
}: {
  onSubmit: () => unknown
  fault?: Fault
  names?: readonly string[]
  children: ComponentChildren
}) {
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void onSubmit()
      }}
    >
      <FormFault fault={fault} names={names} />
      {children}
    </form>
  )
}

function FormFault({ fault, names }: { fault: Fault | undefined; names: readonly string[] }) {
  const text = fault && describeFault(fault, names)
  return text ? <Notice kind="wrong">{text}</Notice> : null
}

/** A message in a box. Screen readers read an error (`wrong`) immediately, and it is scrolled into view. */
export function Notice({
  kind = 'info',
  children,
}: {
  kind?: 'info' | 'wrong' | 'warning'
  children: ComponentChildren
}) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (kind === 'wrong') element.current?.scrollIntoView({ block: 'nearest' })
  }, [kind])
  return (
    <div ref={element} class={`notice ${kind}`} role={kind === 'wrong' ? 'alert' : undefined}>
      {children}
    </div>
  )
}

/** Whether the banner of the page says a fault: of the database, or of a read without a connection. */
export const isToldByBanner = ({ isInBanner, isRead, isAway }: Fault): boolean =>
  isInBanner === true || (isRead === true && isAway === true && !isOnline.value)

/**
 * The error of an action or of a read, unless the page's banner says it. `retry`: reads again, for what is
 * read only once.
 */
export const FaultNotice = ({
  fault,
  retry,
}: {
  fault: Fault | undefined
  retry?: () => Promise<unknown>
}) =>
  fault && !isToldByBanner(fault) ? (
    <Notice kind="wrong">
      {retry ? (
        <div class="row">
          {fault.message}
          <Button kind="quiet" icon="again" onClick={() => void retry()}>
            {t('Try again')}
          </Button>
        </div>
      ) : (
        fault.message
      )}
    </Notice>
  ) : null

/** The buttons of a form or dialog. The main one is the first in the HTML and is shown at the right. */
export const Actions = ({ children }: { children: ComponentChildren }) => (
  <div class="actions">{children}</div>
)

/**
 * The submit button and, with `onCancel`, a cancel button. With `onStop`, a stop button replaces the cancel
 * button while `busy`.
 */
export const FormActions = ({
  onCancel,
  cancel = t('Cancel'),
  onStop,
  ...send
}: ButtonProps & { onCancel?: () => void; cancel?: string; onStop?: () => void }) => (
  <Actions>
    <Button kind="primary" {...send} type="submit" />
    {send.busy && onStop ? (
      <Button onClick={onStop}>{t('Stop')}</Button>
    ) : (
      onCancel && <Button onClick={onCancel}>{cancel}</Button>
    )}
  </Actions>
)

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

interface Look {
  readonly kind?: Kind
  readonly icon?: IconName
  /** Only the icon is seen; the words are for screen readers and the tooltip. */
  readonly iconOnly?: boolean
  /** The lowest role that sees the button. */
  readonly needs?: TeamRole
  readonly children?: ComponentChildren
}

type ButtonProps = Look & {
  /** The task that a press runs. */
  readonly task?: Task<[]>
  /** True while the action runs: the button shows a spinner and is disabled. */
  readonly busy?: boolean
} & Omit<JSX.IntrinsicElements['button'], 'icon' | 'ref'>

const formatKeyHint = (key: unknown) => (key ? ` (${key})` : '')

/** A button. Submits a form only with `type="submit"`. Use at most one `primary` button in a view. */
export function Button({
  kind = 'plain',
  icon,
  iconOnly,
  task,
  busy = task?.busy,
  needs,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  if (needs && !hasTeamRole(needs)) return null
  return (
    <button
      type="button"
      onClick={task && (() => void task.run())}
      {...rest}
      class={`button ${kind} ${iconOnly ? 'icon-only' : ''}`}
      title={iconOnly ? String(children) + formatKeyHint(rest['aria-keyshortcuts']) : rest.title}
      disabled={disabled || busy}
      aria-busy={busy}
    >
      <Inside icon={icon} iconOnly={iconOnly} busy={busy}>
        {children}
      </Inside>
    </button>
  )
}

export const ButtonLink = ({
  kind = 'plain',
  icon,
  iconOnly,
  needs,
  children,
  href,
  ...rest
}: Look & { href: string; 'aria-keyshortcuts'?: string }) =>
  needs && !hasTeamRole(needs) ? null : (
    <a {...rest} href={href} class={`button ${kind} ${iconOnly ? 'icon-only' : ''}`}>
      <Inside icon={icon} iconOnly={iconOnly}>
        {children}
      </Inside>
    </a>
  )

const Inside = ({ icon, iconOnly, busy, children }: Look & { busy?: boolean }) => (
  <>
    {busy ? (
      <span class={icon ? 'spinner' : 'spinner over'} aria-hidden="true" />
    ) : (
      icon && <Icon name={icon} />
    )}
    <span class={iconOnly ? 'unseen' : ''}>{children}</span>
  </>
)

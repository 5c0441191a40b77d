import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Webhooks. */
export const Page = () => (
  <Frame title="Webhooks">
    <Empty icon="webhooks" title="No webhooks yet">
      A webhook tells a program of yours what became of messages.
    </Empty>
  </Frame>
)

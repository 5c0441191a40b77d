import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Devices. */
export const Page = () => (
  <Frame title="Devices">
    <Empty icon="devices" title="No devices yet">
      Texts go out through your own phone or modem.
    </Empty>
  </Frame>
)

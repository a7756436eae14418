/** A device that asks to join. */
export interface DeviceRequest {
  key: string;
  name: string;
  /** Its system or its address. */
  about: string;
  /** What the device shows too, so that nobody approves another one. */
  proof: string;
  approve: () => Promise<void>;
  refuse: () => Promise<void>;
}

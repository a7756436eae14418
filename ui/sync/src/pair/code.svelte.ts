import { ApiError, body } from '@quartet/kit';
import type { Enrollment } from '../data/types.ts';
import { api } from '../service.ts';

const LOOK_MS = 2000;

/** A pairing code, from its creation until a device uses it. */
export class PairingCode {
  #enrollment = $state.raw<Enrollment>();
  #error = $state.raw<unknown>();
  #left = $state(0);
  #deviceId = $state<number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #turn = 0;

  get enrollment(): Enrollment | undefined {
    return this.#enrollment;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Remaining seconds until the code expires. */
  get left(): number {
    return this.#left;
  }

  /** The device that used the code. */
  get deviceId(): number | undefined {
    return this.#deviceId;
  }

  async make(): Promise<void> {
    this.stop();
    const turn = this.#turn;
    this.#deviceId = undefined;
    this.#enrollment = undefined;
    this.#error = undefined;
    try {
      const made = await body(api.POST('/api/enrollments', { body: {} }));
      if (turn !== this.#turn) return;
      this.#enrollment = made;
      this.#count();
      this.#timer = setInterval(() => void this.look(), LOOK_MS);
    } catch (error) {
      if (turn === this.#turn) this.#error = error;
    }
  }

  /** Ignores pending responses. */
  stop(): void {
    this.#turn++;
    clearInterval(this.#timer);
  }

  /** Checks whether a device has used the code. */
  async look(): Promise<void> {
    if (!this.#enrollment || this.#deviceId !== undefined) return;
    this.#count();
    const [turn, { code }] = [this.#turn, this.#enrollment];
    try {
      const found = await body(api.POST('/api/enrollments/status', { body: { code } }));
      if (turn !== this.#turn) return;
      if (found.deviceId != null) this.#deviceId = found.deviceId;
      if (found.state !== 'pending') this.stop();
    } catch (error) {
      // A server that is unreachable for a moment is asked again.
      const gone = error instanceof ApiError && error.code === 'code_not_found';
      if (gone && turn === this.#turn) this.stop();
    }
  }

  #count(): void {
    const expires = this.#enrollment?.expiresAt ?? 0;
    this.#left = Math.max(0, Math.ceil(expires - Date.now() / 1000));
  }
}

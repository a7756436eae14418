import { expect, it } from 'vitest';
import { Session, type SessionState } from '../src/session/session.svelte.ts';

it('does not believe an older answer that comes after a newer one', async () => {
  const answers: ((state: SessionState) => void)[] = [];
  const session = new Session(() => new Promise<SessionState>((done) => answers.push(done)));
  const checks = [session.check(), session.check()];
  answers[1]!({ loggedIn: true });
  await checks[1];
  answers[0]!({ loggedIn: false });
  await checks[0];
  expect(session.state?.loggedIn).toBe(true);
});

import { vi } from 'vitest';

// Test files share a worker. Each loads its modules anew, so that its mocks apply.
vi.resetModules();

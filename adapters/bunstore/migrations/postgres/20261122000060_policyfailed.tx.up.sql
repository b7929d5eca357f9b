-- Why the rules before were put back in force; empty when they were not.
ALTER TABLE policy_state ADD COLUMN failed TEXT NOT NULL DEFAULT '';

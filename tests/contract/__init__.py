"""The whole contract of relations, judged by machines that read it by themselves: simulator and exploration."""

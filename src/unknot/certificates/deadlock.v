From Coq Require Import Arith PArith NArith List Bool Lia FMapPositive.
Import ListNotations.
Open Scope positive_scope.

(** * What is claimed

    A place is a virtual channel (VC), 1 to [num_vcs], or above these the injection port of a terminal. A row is what
    the routing answers for a packet at a place: whether it may be ejected, the VCs that it waits for when it is
    blocked, and further VCs that it takes when they happen to be free. [table] has the rows of each address. *)

Record row := Row { place : positive; ejects : bool; waits : list positive; more : list positive; level : N }.
Record channel := Channel { source : positive; target : positive; vcs : nat }.
Record terminal := Terminal { inject : positive; eject : positive }.
Record address := Address { destination : nat; senders : list nat; rows : list row }.
Record design := Design {
  channels : list channel; terminals : list terminal; commits : bool; table : list address; ranks : list N }.
Inductive technique := SAF | VCT | Wormhole | Nonatomic.

Section Claims.
Variable d : design.

Definition no_address := Address 0 [] [].
Definition rows_of (a : nat) := rows (nth a (table d) no_address).
Definition may (r : row) := waits r ++ more r.

(** A packet of address [a] at place [p] may go on to the VC [c]. *)
Definition step a p c := exists r, In r (rows_of a) /\ place r = p /\ In c (may r).

(** Places of all VCs, in the order of the channels. *)
Definition vc_list := flat_map (fun c => repeat c (vcs c)) (channels d).
Definition num_vcs := length vc_list.
Definition is_vc (p : positive) := (Pos.to_nat p <= num_vcs)%nat.
Definition port (t : nat) := Pos.of_nat (num_vcs + t + 1).

Inductive reachable (a : nat) : positive -> Prop :=
  | injected t : (a < length (table d))%nat -> In t (senders (nth a (table d) no_address)) -> reachable a (port t)
  | onward p c : reachable a p -> step a p c -> reachable a c.

(** The VCs of a packet: the one in which its tail is, and those up to its header. *)
Record packet := Packet { addr : nat; tail : positive; rest : list positive }.
Definition holds k := tail k :: rest k.
Definition header k := last (rest k) (tail k).
Fixpoint route a p (path : list positive) : Prop :=
  match path with [] => True | c :: others => step a p c /\ route a c others end.

Definition held (W : list packet) c := exists k, In k W /\ In c (holds k).

(** A header that commits has chosen one candidate, whatever it is, and waits for it; and where VCs are not allocated
    atomically it queues for one. Otherwise it waits for all that it waits for, and never where it may be ejected. *)
Definition blocked t (W : list packet) a p := exists r, In r (rows_of a) /\ place r = p /\
  if commits d || match t with Nonatomic => true | _ => false end
  then exists c, In c (may r) /\ held W c
  else ejects r = false /\ waits r <> [] /\ forall c, In c (waits r) -> held W c.

(** Packets none of which can ever move. That they share no VC, are long enough, and can be there at the same time is
    not asked: without it more is a deadlock, so its absence says more. *)
Definition deadlock t (W : list packet) := W <> [] /\ forall k, In k W ->
  Forall is_vc (holds k) /\ route (addr k) (tail k) (rest k) /\ blocked t W (addr k) (header k) /\
  match t with SAF | VCT => rest k = [] | _ => True end.

(** * The network: candidates leave the router at which the header stands, and ejection is at the destination. *)

Definition pmap := PositiveMap.t positive.
Fixpoint number {A} (i : positive) (l : list A) : PositiveMap.t A :=
  match l with [] => PositiveMap.empty A | x :: others => PositiveMap.add i x (number (Pos.succ i) others) end.
Definition starts := number 1 (map source vc_list).
Definition ends := number 1 (map target vc_list ++ map inject (terminals d)).
Definition at_router (m : pmap) p (u : positive) := match PositiveMap.find p m with Some v => Pos.eqb u v | None => false end.
Definition home (a : address) := nth (destination a) (map eject (terminals d)) 1.
Definition row_legal (s e : pmap) (h : positive) (r : row) :=
  match PositiveMap.find (place r) e with
  | None => false
  | Some u => forallb (fun c => at_router s c u) (may r) && (negb (ejects r) || Pos.eqb u h) end.
Definition legal := let s := starts in let e := ends in
  forallb (fun a => forallb (row_legal s e (home a)) (rows a)) (table d).

(** * The table has every state that can be reached. *)

Definition places (a : address) := fold_right (fun r m => PositiveMap.add (place r) tt m) (PositiveMap.empty unit) (rows a).
Definition closed_at (a : address) := let m := places a in
  forallb (fun t => PositiveMap.mem (port t) m) (senders a) &&
  forallb (fun r => forallb (fun c => PositiveMap.mem c m) (may r)) (rows a).
Definition closed := forallb closed_at (table d).

Lemma mem_places a p : PositiveMap.mem p (places a) = true -> exists r, In r (rows a) /\ place r = p.
Proof.
  unfold places. induction (rows a) as [|r l IH]; simpl.
  - rewrite PositiveMap.mem_find, PositiveMap.gempty. discriminate.
  - rewrite PositiveMap.mem_find. destruct (Pos.eq_dec p (place r)) as [->|ne].
    + intros _. exists r. auto.
    + rewrite PositiveMap.gso by assumption. rewrite <- PositiveMap.mem_find. intros H.
      destruct (IH H) as [r' [? ?]]. exists r'. auto.
Qed.

Theorem every_reachable_state_has_a_row :
  closed = true -> forall a p, reachable a p -> exists r, In r (rows_of a) /\ place r = p.
Proof.
  unfold closed. rewrite forallb_forall. intros H a p R.
  assert (here : (a < length (table d))%nat) by (induction R; auto).
  specialize (H _ (nth_In _ no_address here)). unfold closed_at in H. apply andb_prop in H as [Hs Hr].
  rewrite forallb_forall in Hs, Hr.
  induction R as [t inside sends | p c R IH [r [Hin [<- Hc]]]].
  - apply mem_places, Hs, sends.
  - apply mem_places. specialize (Hr r Hin). rewrite forallb_forall in Hr. auto.
Qed.

(** * Proofs of freedom: each VC has a rank. *)

Definition rank_map := number 1 (ranks d).
Definition rank p := match PositiveMap.find p rank_map with Some r => r | None => 0%N end.

Lemma least (f : positive -> N) l : l <> [] -> exists m, In m l /\ forall x, In x l -> (f m <= f x)%N.
Proof.
  induction l as [|x l IH]; [congruence|]. intros _. destruct l as [|y l].
  - exists x. simpl. split; auto. intros z [<-|[]]. lia.
  - destruct IH as [m [Hm Hle]]; [congruence|]. destruct (N.le_gt_cases (f x) (f m)).
    + exists x. split; [left; auto|]. intros z [<-|Hz]; [lia|]. specialize (Hle z Hz). lia.
    + exists m. split; [right; auto|]. intros z [<-|Hz]; [lia|]. auto.
Qed.

Lemma greatest (f : positive -> N) l : l <> [] -> exists m, In m l /\ forall x, In x l -> (f x <= f m)%N.
Proof.
  induction l as [|x l IH]; [congruence|]. intros _. destruct l as [|y l].
  - exists x. simpl. split; auto. intros z [<-|[]]. lia.
  - destruct IH as [m [Hm Hle]]; [congruence|]. destruct (N.le_gt_cases (f m) (f x)).
    + exists x. split; [left; auto|]. intros z [<-|Hz]; [lia|]. specialize (Hle z Hz). lia.
    + exists m. split; [right; auto|]. intros z [<-|Hz]; [lia|]. auto.
Qed.

Definition all_held W := flat_map holds W.
Lemma held_all W c : In c (all_held W) <-> held W c.
Proof. unfold all_held, held. rewrite in_flat_map. tauto. Qed.
Lemma all_held_nonempty W : W <> [] -> all_held W <> [].
Proof. destruct W as [|k W]; [congruence|]. unfold all_held, holds. simpl. congruence. Qed.

Lemma last_cons (l : list positive) c p : last (c :: l) p = last l c.
Proof.
  revert c p. induction l as [|a l IH]; intros c p; [reflexivity|].
  change (last (a :: l) p = last (a :: l) c). rewrite (IH a p), (IH a c). reflexivity.
Qed.

Lemma header_held k : In (header k) (holds k).
Proof.
  unfold header, holds. generalize (tail k). induction (rest k) as [|c l IH]; intros p; [left; auto|].
  right. rewrite last_cons. apply IH.
Qed.

(** What is blocked waits for something that is held, under every technique. *)
Lemma blocked_waits t W a p : blocked t W a p -> exists r c, In r (rows_of a) /\ place r = p /\ In c (may r) /\ held W c.
Proof.
  intros [r [Hin [Hp H]]]. destruct (commits d || _).
  - destruct H as [c [Hc Hh]]. exists r, c. auto.
  - destruct H as [_ [Hne Hall]]. destruct (waits r) as [|c l] eqn:E; [congruence|].
    exists r, c. split; [exact Hin|]. split; [exact Hp|]. split.
    + unfold may. rewrite E. left. reflexivity.
    + apply Hall. left. reflexivity.
Qed.

Definition on_vcs (check : row -> bool) (n : nat) (r : row) := (n <? Pos.to_nat (place r))%nat || check r.
Definition every_row check := let n := num_vcs in forallb (fun a => forallb (on_vcs check n) (rows a)) (table d).

Lemma every_row_holds check a r :
  every_row check = true -> In r (rows_of a) -> is_vc (place r) -> check r = true.
Proof.
  unfold every_row. rewrite forallb_forall. intros H Hin Hvc.
  destruct (le_lt_dec (length (table d)) a) as [out|inside].
  - unfold rows_of in Hin. rewrite nth_overflow in Hin by exact out. destruct Hin.
  - specialize (H _ (nth_In _ no_address inside)). rewrite forallb_forall in H. specialize (H r Hin).
    unfold on_vcs in H. apply orb_prop in H as [H|H]; auto. apply Nat.ltb_lt in H. unfold is_vc in Hvc. lia.
Qed.

(** ** order: every candidate ranks higher, which proves every technique. *)
Definition order_row m r := let f p := match PositiveMap.find p m with Some r => r | None => 0%N end in
  let here := f (place r) in forallb (fun c => N.ltb here (f c)) (may r).
Definition order := let m := rank_map in every_row (order_row m).

Lemma climbs a : order = true -> forall path p, Forall is_vc (p :: path) -> route a p path ->
  (rank p <= rank (last path p))%N.
Proof.
  intros H. induction path as [|c l IH]; intros p Hvc R; [simpl; lia|].
  destruct R as [[r [Hin [Hp Hc]]] R]. inversion Hvc as [|? ? Hv Hrest]; subst.
  pose proof (every_row_holds _ _ _ H Hin Hv) as E. unfold order_row in E. rewrite forallb_forall in E.
  specialize (E c Hc). apply N.ltb_lt in E. change (rank (place r) < rank c)%N in E.
  specialize (IH c Hrest R). rewrite last_cons. lia.
Qed.

Theorem order_proves : order = true -> forall t W, ~ deadlock t W.
Proof.
  intros H t W [ne all].
  destruct (greatest rank (all_held W) (all_held_nonempty W ne)) as [m [Hm Hmax]].
  apply held_all in Hm as [k [Hk Hm]]. destruct (all k Hk) as [vc [R [B _]]].
  apply blocked_waits in B as [r [c [Hin [Hp [Hc Hh]]]]].
  assert (Hv : is_vc (place r)) by (rewrite Hp; rewrite Forall_forall in vc; apply vc, header_held).
  pose proof (every_row_holds _ _ _ H Hin Hv) as E. unfold order_row in E. rewrite forallb_forall in E.
  specialize (E c Hc). apply N.ltb_lt in E. change (rank (place r) < rank c)%N in E.
  apply held_all in Hh. pose proof (Hmax c Hh).
  assert (rank m <= rank (header k))%N.
  { clear - H Hm vc R. unfold header, holds in *. revert Hm vc R. generalize (tail k).
    induction (rest k) as [|e l IH]; intros p Hm vc R.
    - destruct Hm as [<-|[]]. simpl. lia.
    - destruct Hm as [<-|Hm].
      + apply (climbs (addr k) H (e :: l) p vc R).
      + destruct R as [_ R]. inversion vc as [|? ? _ others]; subst. rewrite last_cons. apply (IH e Hm others R). }
  rewrite <- Hp in *. lia.
Qed.

(** Some VC of those that are waited for, if there are any. *)
Definition some (check : positive -> bool) l := match l with [] => true | _ => existsb check l end.
Lemma some_holds check l : some check l = true -> l <> [] -> exists c, In c l /\ check c = true.
Proof. destruct l; [congruence|]. intros H _. apply existsb_exists in H. exact H. Qed.

(** ** escape: what is blocked waits for something lower; it proves saf and vct. *)
Definition escape_row m r := let f p := match PositiveMap.find p m with Some r => r | None => 0%N end in
  let here := f (place r) in
  if commits d then forallb (fun c => N.ltb (f c) here) (may r)
  else ejects r || some (fun c => N.ltb (f c) here) (waits r).
Definition escape := let m := rank_map in every_row (escape_row m).

Theorem escape_proves : escape = true -> forall t W, t = SAF \/ t = VCT -> ~ deadlock t W.
Proof.
  intros H t W T [ne all].
  destruct (least rank (all_held W) (all_held_nonempty W ne)) as [m [Hm Hmin]].
  apply held_all in Hm as [k [Hk Hm]]. destruct (all k Hk) as [vc [_ [B S]]].
  assert (E : rest k = []) by (destruct T; subst t; exact S).
  unfold header, holds in *. rewrite E in *. destruct Hm as [<-|[]]. simpl in B.
  destruct B as [r [Hin [Hp B]]]. inversion vc as [|? ? Hv _]; subst. rewrite <- Hp in *.
  pose proof (every_row_holds _ _ _ H Hin Hv) as C. unfold escape_row in C.
  replace (match t with Nonatomic => true | _ => false end) with false in B by (destruct T; subst t; auto).
  rewrite orb_false_r in B. destruct (commits d).
  - destruct B as [c [Hc Hh]]. rewrite forallb_forall in C. specialize (C c Hc). apply N.ltb_lt in C.
    change (rank c < rank (place r))%N in C. apply held_all in Hh. pose proof (Hmin c Hh). lia.
  - destruct B as [He [Hw Hall]]. rewrite He in C. apply some_holds in C as [c [Hc C]]; [|exact Hw]. apply N.ltb_lt in C. change (rank c < rank (place r))%N in C.
    pose proof (Hall c Hc) as Hh. apply held_all in Hh. pose proof (Hmin c Hh). lia.
Qed.

(** ** drain: from no VC does a header come, over ranks as high, to wait for ranks as high only; it proves wormhole.
    [level] of a row is at least the greatest rank over which such a header can be reached; 0: none. *)
Definition level_map (a : address) := fold_right (fun r m => PositiveMap.add (place r) (level r) m) (PositiveMap.empty N) (rows a).
Definition drain_row (n : nat) (f g : positive -> N) r :=
  forallb (fun c => N.leb (N.min (f c) (g c)) (level r)) (may r) &&
  (if commits d then forallb (fun c => N.leb (f c) (level r)) (may r)
   else ejects r || some (fun c => N.leb (f c) (level r)) (waits r)) &&
  ((n <? Pos.to_nat (place r))%nat || N.ltb (level r) (f (place r))).
Definition consistent (g : positive -> N) r := N.eqb (g (place r)) (level r).
Definition drain := let m := rank_map in let n := num_vcs in
  let f p := match PositiveMap.find p m with Some r => r | None => 0%N end in
  forallb (fun a => let l := level_map a in
    let g p := match PositiveMap.find p l with Some r => r | None => 0%N end in
    forallb (fun r => consistent g r && drain_row n f g r) (rows a)) (table d).

Lemma wormhole_is_atomic : Wormhole <> Nonatomic.
Proof. congruence. Qed.

Theorem drain_proves : drain = true -> forall t W, t <> Nonatomic -> ~ deadlock t W.
Proof.
  intros H t W T [ne all].
  destruct (least rank (all_held W) (all_held_nonempty W ne)) as [m [Hm Hmin]].
  apply held_all in Hm as [k [Hk Hm]]. destruct (all k Hk) as [vc [R [B _]]].
  destruct (le_lt_dec (length (table d)) (addr k)) as [out|inside].
  { destruct B as [r [Hin _]]. unfold rows_of in Hin. rewrite nth_overflow in Hin by exact out. destruct Hin. }
  unfold drain in H. rewrite forallb_forall in H. specialize (H _ (nth_In _ no_address inside)).
  fold (rows_of (addr k)) in H. rewrite forallb_forall in H.
  set (g := fun p => match PositiveMap.find p (level_map (nth (addr k) (table d) no_address)) with
                     | Some r => r | None => 0%N end) in *.
  assert (good : forall r, In r (rows_of (addr k)) -> g (place r) = level r /\ drain_row num_vcs rank g r = true).
  { intros r Hin. specialize (H r Hin). apply andb_prop in H as [C D]. apply N.eqb_eq in C. split; auto. }
  (* The header is at a level of at least the rank of m. *)
  assert (L : (rank m <= g (header k))%N).
  { destruct B as [r [Hin [Hp B]]]. destruct (good r Hin) as [C D]. rewrite <- Hp, C.
    unfold drain_row in D. apply andb_prop in D as [D _]. apply andb_prop in D as [_ D].
    replace (match t with Nonatomic => true | _ => false end) with false in B by (destruct t; congruence).
    rewrite orb_false_r in B. destruct (commits d).
    - destruct B as [c [Hc Hh]]. rewrite forallb_forall in D. specialize (D c Hc). apply N.leb_le in D.
      apply held_all in Hh. specialize (Hmin c Hh). lia.
    - destruct B as [He [Hw Hall]]. rewrite He in D. apply some_holds in D as [c [Hc D]]; [|exact Hw]. apply N.leb_le in D.
      pose proof (Hall c Hc) as Hh. apply held_all in Hh. specialize (Hmin c Hh). lia. }
  (* So is every place of the packet before it, m among them. *)
  assert (up : forall c, In c (holds k) -> (rank m <= rank c)%N).
  { intros c Hc. apply Hmin, held_all. exists k. auto. }
  assert (G : (rank m <= g m)%N).
  { clear - R L up good Hm. unfold header, holds in *. revert R L up Hm. generalize (tail k).
    induction (rest k) as [|e l IH]; intros p R L up Hm.
    - destruct Hm as [<-|[]]. exact L.
    - destruct R as [[r [Hin [Hp Hc]]] R].
      assert (L' : (rank m <= g (last l e))%N) by (rewrite last_cons in L; exact L).
      assert (up' : forall c, In c (e :: l) -> (rank m <= rank c)%N) by (intros c Hx; apply up; right; exact Hx).
      destruct Hm as [<-|Hm].
      + assert (Ge : (rank p <= g e)%N).
        { clear L IH up Hc Hin Hp r. revert e R L' up'. induction l as [|x l IH]; intros e R L' up'; [exact L'|].
          destruct R as [[r [Hin [Hp Hc]]] R]. destruct (good r Hin) as [C D]. rewrite <- Hp, C.
          unfold drain_row in D. apply andb_prop in D as [D _]. apply andb_prop in D as [D _].
          rewrite forallb_forall in D. specialize (D x Hc). apply N.leb_le in D.
          assert (Gx : (rank p <= g x)%N).
          { apply IH; auto. rewrite last_cons in L'. exact L'. intros c Hx. apply up'. right. exact Hx. }
          pose proof (up' x (or_intror (or_introl eq_refl))). lia. }
        destruct (good r Hin) as [C D]. rewrite <- Hp, C.
        unfold drain_row in D. apply andb_prop in D as [D _]. apply andb_prop in D as [D _].
        rewrite forallb_forall in D. specialize (D e Hc). apply N.leb_le in D.
        pose proof (up' e (or_introl eq_refl)). rewrite Hp in *. lia.
      + apply (IH e R L' up' Hm). }
  (* But a level is below the rank of its VC. *)
  assert (Hr : exists r, In r (rows_of (addr k)) /\ place r = m).
  { clear - R B Hm. unfold header, holds in *. destruct B as [rb [Hb [Hpb _]]]. revert R Hpb Hm. generalize (tail k).
    induction (rest k) as [|e l IH]; intros p R Hpb Hm.
    - destruct Hm as [<-|[]]. exists rb. auto.
    - destruct R as [[r [Hin [Hp Hc]]] R]. destruct Hm as [<-|Hm]; [exists r; auto|].
      apply (IH e R); auto. rewrite last_cons in Hpb. exact Hpb. }
  destruct Hr as [r [Hin Hp]]. destruct (good r Hin) as [C D]. unfold drain_row in D.
  apply andb_prop in D as [_ D]. rewrite Forall_forall in vc. specialize (vc m Hm). unfold is_vc in vc.
  apply orb_prop in D as [D|D]; [apply Nat.ltb_lt in D; rewrite Hp in D; lia|].
  apply N.ltb_lt in D. rewrite Hp in *. lia.
Qed.

End Claims.
